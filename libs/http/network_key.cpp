#include "http/network_key.hpp"

namespace http {

namespace {

namespace ip = boost::asio::ip;

// Keys of IPv4 networks look like IPv6 networks in 0000::/8, which is not routed. So the keys of IPv4
// networks differ from those of IPv6 networks.
constexpr std::uint64_t v4_tag = std::uint64_t{0xffff} << 32;

std::uint64_t first_bits(std::uint64_t value, unsigned width, unsigned bits) noexcept
{
    return bits == 0 ? 0 : value & (~std::uint64_t{0} << (width - bits));
}

std::int64_t key_of(ip::address_v4 const& address, unsigned bits) noexcept
{
    return static_cast<std::int64_t>(v4_tag | first_bits(address.to_uint(), 32, bits));
}

} // namespace

std::int64_t network_key(ip::address const& address, unsigned v4_bits, unsigned v6_bits) noexcept
{
    if (address.is_v4()) return key_of(address.to_v4(), v4_bits);
    auto const bytes = address.to_v6().to_bytes();
    if (address.to_v6().is_v4_mapped())
        return key_of(ip::make_address_v4(ip::v4_mapped, address.to_v6()), v4_bits);
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < 8; ++i)
        value = value << 8 | bytes[i];
    return static_cast<std::int64_t>(first_bits(value, 64, v6_bits));
}

} // namespace http
