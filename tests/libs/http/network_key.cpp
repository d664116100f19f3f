#include "http/network_key.hpp"

#include <catch2/catch.hpp>

namespace {

std::int64_t key(char const* address, unsigned v4_bits = 24, unsigned v6_bits = 48)
{
    return http::network_key(boost::asio::ip::make_address(address), v4_bits, v6_bits);
}

} // namespace

TEST_CASE("addresses of one network have the same key")
{
    CHECK(key("192.0.2.1") == key("192.0.2.254"));
    CHECK(key("192.0.2.1") != key("192.0.3.1"));
    CHECK(key("192.0.2.1", 32) != key("192.0.2.2", 32));
    CHECK(key("::ffff:192.0.2.1") == key("192.0.2.1"));
    CHECK(key("2001:db8:1::1") == key("2001:db8:1:ffff::2"));
    CHECK(key("2001:db8:1::1") != key("2001:db8:2::1"));
    CHECK(key("2001:db8:1::1", 32, 64) != key("2001:db8:1:1::1", 32, 64));
    CHECK(key("2001:db8:1::1", 32, 64) == key("2001:db8:1::ffff:ffff:ffff:ffff", 32, 64));
    CHECK(key("255.255.255.255", 32) != key("255.255.255.254", 32));
    CHECK(key("10.0.0.1", 0) == key("192.0.2.1", 0));
}
