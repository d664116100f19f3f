#include "domain/network.hpp"

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/network_v6.hpp>

namespace auth_mfa {

namespace ip = boost::asio::ip;

std::string network_of(std::string_view address)
{
    boost::system::error_code fault;
    auto const parsed = ip::make_address(std::string(address), fault);
    if (fault || parsed.is_v4()) return std::string(address);
    ip::address_v6 const without_zone(parsed.to_v6().to_bytes());
    return ip::network_v6(without_zone, 64).canonical().to_string();
}

} // namespace auth_mfa
