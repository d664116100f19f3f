// The limit of connections per network.
#include "client.hpp"
#include "support/eventually.hpp"

#include <catch2/catch.hpp>

using testing::eventually;

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
    http_server::ServerOptions options{.max_per_network = 1};
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
