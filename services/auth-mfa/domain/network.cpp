#include "domain/network.hpp"

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/network_v4.hpp>
#include <boost/asio/ip/network_v6.hpp>

namespace auth_mfa {

namespace ip = boost::asio::ip;

namespace {

std::string network(std::string_view address, unsigned short v4_bits, unsigned short v6_bits)
{
    boost::system::error_code fault;
    auto const parsed = ip::make_address(std::string(address), fault);
    if (fault) return std::string(address);
    if (parsed.is_v4()) return ip::network_v4(parsed.to_v4(), v4_bits).canonical().to_string();
    ip::address_v6 const without_zone(parsed.to_v6().to_bytes());
    if (without_zone.is_v4_mapped())
        return ip::network_v4(ip::make_address_v4(ip::v4_mapped, without_zone), v4_bits)
            .canonical()
            .to_string();
    return ip::network_v6(without_zone, v6_bits).canonical().to_string();
}

} // namespace

std::string subscriber_network_of(std::string_view address)
{
    return network(address, 32, 64);
}

std::string network_of(std::string_view address)
{
    return network(address, 32, 48);
}

std::string wide_network_of(std::string_view address)
{
    return network(address, 24, 48);
}

} // namespace auth_mfa
