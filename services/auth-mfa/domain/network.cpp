#include "domain/network.hpp"

#include <boost/asio/ip/address.hpp>

#include <algorithm>

namespace auth_mfa {

std::string network_of(std::string_view address)
{
    boost::system::error_code fault;
    auto const parsed = boost::asio::ip::make_address(std::string(address), fault);
    if (fault || parsed.is_v4()) return std::string(address);
    auto bytes = parsed.to_v6().to_bytes();
    std::fill(bytes.begin() + 8, bytes.end(), std::uint8_t{0});
    return boost::asio::ip::address_v6(bytes).to_string() + "/64";
}

} // namespace auth_mfa
