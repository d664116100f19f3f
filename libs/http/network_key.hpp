#pragma once

#include <boost/asio/ip/address.hpp>

#include <cstdint>

namespace http {

/// The network of an address as a key: the first `v4_bits` (0..32) of an IPv4 address, or the first `v6_bits`
/// (1..64) of an IPv6 address. An IPv4-mapped IPv6 address has the key of the IPv4 address.
std::int64_t network_key(
    boost::asio::ip::address const& address, unsigned v4_bits, unsigned v6_bits) noexcept;

} // namespace http
