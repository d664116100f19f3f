// Keys of networks, and limits of connections per network.
#include "client.hpp"
#include "http/network_key.hpp"
#include "support/eventually.hpp"

#include <catch2/catch.hpp>

using testing::eventually;

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

TEST_CASE("a network has a connection limit over all threads, independently of other networks")
{
    constexpr std::size_t places = 8;
    test::Server server(test::Server::echo, {.max_per_network = places}, 4);
    std::vector<test::Client> clients;
    for (std::size_t i = 0; i < places; ++i) {
        clients.push_back(server.connect());
        REQUIRE(clients.back().get().status == 200);
    }
    for (std::size_t refused = 1; refused <= 5; ++refused) {
        auto one_more = server.connect();
        CHECK(one_more.ends());
        CHECK(server.networks_refused() == refused);
    }
    CHECK(server->connections() == places);
    test::Client elsewhere(server->port(), 0, "127.0.1.1");
    CHECK(elsewhere.get().status == 200);
    test::Client near(server->port(), 0, "127.0.0.77");
    CHECK(near.ends());

    clients.pop_back();
    // The number includes the connection from another network.
    REQUIRE(eventually([&] { return server->connections() == places; }));
    CHECK(server.connect().get().status == 200);
}

TEST_CASE("an exempt address has no connection limit and does not count in its network")
{
    http::ServerOptions options{.max_per_network = 1};
    options.is_exempt = [](boost::asio::ip::address const& address) {
        return address == boost::asio::ip::make_address("127.0.0.9");
    };
    test::Server server(test::Server::echo, options);
    std::vector<test::Client> proxies;
    for (int i = 0; i < 5; ++i) {
        proxies.emplace_back(server->port(), 0, "127.0.0.9");
        CHECK(proxies.back().get().status == 200);
    }
    auto first = server.connect();
    CHECK(first.get().status == 200);
    CHECK(server.connect().ends());
}

TEST_CASE("an IPv4 client of an IPv6 socket counts in its IPv4 network")
{
    test::Server server(test::Server::echo, {.bind = "::", .max_per_network = 1});
    auto first = server.connect();
    CHECK(first.get().status == 200);
    CHECK(server.connect().ends());
    test::Client elsewhere(server->port(), 0, "127.0.1.1");
    CHECK(elsewhere.get().status == 200);
}
