#pragma once

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/network_v6.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gateway {

/// The networks whose `X-Forwarded-For` is trusted.
class TrustedProxies {
public:
    TrustedProxies() = default; ///< no network is trusted

    /// Parses comma-separated CIDRs or single addresses, IPv4 and IPv6 (`10.0.0.0/8, ::1`); with an empty
    /// text no network is trusted. Returns nullopt if an element is malformed, or has bits set beyond its
    /// prefix.
    static std::optional<TrustedProxies> parse(std::string_view text);

    bool contains(boost::asio::ip::address const& address) const noexcept;

    /// Returns the client's address. The search begins with `peer`. As long as the address is that of a
    /// trusted proxy, the search continues with the next entry of `forwarded_for` from the right. An entry
    /// that is not an address ends the search. Entries to the left of an untrusted address are ignored, so a
    /// client cannot choose the result. IPv4-mapped IPv6 addresses are returned as IPv4.
    std::string client_address(std::string_view peer, std::string_view forwarded_for) const;

private:
    std::vector<boost::asio::ip::network_v6> networks_; ///< IPv4 as IPv4-mapped IPv6
};

} // namespace gateway
