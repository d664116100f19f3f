#include "gateway/trusted_proxies.hpp"

#include <catch2/catch.hpp>

using boost::asio::ip::make_address;
using gateway::TrustedProxies;

TEST_CASE("networks are parsed, and malformed networks are refused")
{
    for (auto const* text : {"", " ", "10.0.0.0/8", "10.0.0.1", "::1", "fd00::/8,10.0.0.0/8 , 192.168.1.1/32",
             "0.0.0.0/0", "::/0", "::ffff:10.0.0.0/104"}) {
        CAPTURE(text);
        CHECK(TrustedProxies::parse(text));
    }
    for (auto const* text :
        {"10.0.0.0/33", "::/129", "10.0.0.1/8", "fd00::1/8", "10.0.0.0/", "10.0.0.0/-1", "10.0.0.0/8x",
            "proxy", "10.0.0.0/8,,10.1.0.0/16", ",", "10.0.0/8", "10.0.0.0/8;::1", "fe80::1%2"}) {
        CAPTURE(text);
        CHECK_FALSE(TrustedProxies::parse(text));
    }
}

TEST_CASE("a network contains only its own addresses")
{
    auto const some = *TrustedProxies::parse("10.0.0.0/9,192.168.1.7,fd00:1::/33");
    for (auto const* inside :
        {"10.0.0.0", "10.127.255.255", "192.168.1.7", "fd00:1::1", "fd00:1:7fff::", "::ffff:10.0.0.1"})
        CHECK(some.contains(make_address(inside)));
    for (auto const* outside :
        {"10.128.0.0", "9.255.255.255", "192.168.1.6", "fd00:1:8000::", "fd00::1", "::1"})
        CHECK_FALSE(some.contains(make_address(outside)));
    auto const all = *TrustedProxies::parse("0.0.0.0/0");
    CHECK(all.contains(make_address("1.2.3.4")));
    CHECK_FALSE(all.contains(make_address("2001:db8::1")));
    CHECK_FALSE(TrustedProxies().contains(make_address("127.0.0.1")));
}

TEST_CASE("the client is the first address from the right that is not a trusted proxy")
{
    auto const proxies = *TrustedProxies::parse("10.0.0.0/8,::1");

    struct Row {
        char const* peer;
        char const* forwarded;
        char const* client;
    };

    std::vector<Row> const rows{
        {"1.2.3.4", "", "1.2.3.4"},
        {"1.2.3.4", "5.6.7.8", "1.2.3.4"}, // the header of an untrusted peer is ignored
        {"10.0.0.1", "", "10.0.0.1"},
        {"10.0.0.1", "5.6.7.8", "5.6.7.8"},
        {"10.0.0.1", "9.9.9.9, 5.6.7.8", "5.6.7.8"}, // the left part comes from the client
        {"10.0.0.1", "5.6.7.8, 10.0.0.2", "5.6.7.8"},
        {"10.0.0.1", "5.6.7.8 ,\t10.0.0.2,10.0.0.3 ", "5.6.7.8"},
        {"10.0.0.1", "10.0.0.9", "10.0.0.9"},
        {"10.0.0.1", "5.6.7.8, nonsense", "10.0.0.1"},
        {"10.0.0.1", "5.6.7.8, nonsense, 10.0.0.2", "10.0.0.2"},
        {"10.0.0.1", "5.6.7.8,", "10.0.0.1"},
        {"10.0.0.1", "5.6.7.8:1234", "5.6.7.8"},
        {"10.0.0.1", "2001:db8::1", "2001:db8::1"},
        {"10.0.0.1", "[2001:db8::1]", "2001:db8::1"},
        {"10.0.0.1", "[2001:db8::1]:443", "2001:db8::1"},
        {"10.0.0.1", "[2001:db8::1", "10.0.0.1"},
        {"10.0.0.1", "2001:DB8:0::1", "2001:db8::1"}, // one canonical text per address
        {"::ffff:10.0.0.1", "5.6.7.8", "5.6.7.8"},
        {"::ffff:1.2.3.4", "", "1.2.3.4"},
        {"::1", "::ffff:5.6.7.8", "5.6.7.8"},
        {"not an address", "5.6.7.8", "not an address"},
    };
    for (auto const& row : rows) {
        CAPTURE(row.peer, row.forwarded);
        CHECK(proxies.client_address(row.peer, row.forwarded) == row.client);
    }
}
