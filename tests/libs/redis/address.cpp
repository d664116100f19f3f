#include "redis/address.hpp"

#include <catch2/catch.hpp>

#include <stdexcept>

using redis::Address;

TEST_CASE("redis URLs are parsed")
{
    auto const plain = Address::parse("redis://cache");
    CHECK(plain.host == "cache");
    CHECK(plain.port == 6379);
    CHECK(plain.database == 0);
    CHECK(plain.user.empty());
    CHECK(plain.password.empty());

    auto const full = Address::parse("redis://app:p%40ss%2Fw%3Ard@10.0.0.1:6380/15");
    CHECK(full.host == "10.0.0.1");
    CHECK(full.port == 6380);
    CHECK(full.database == 15);
    CHECK(full.user == "app");
    CHECK(full.password.reveal() == "p@ss/w:rd");

    auto const password = Address::parse("redis://:secret@localhost/");
    CHECK(password.user.empty());
    CHECK(password.password.reveal() == "secret");
    CHECK(password.database == 0);

    CHECK(Address::parse("redis://[::1]:7000").host == "::1");

    auto const socket = Address::parse("unix:///run/redis/redis.sock?db=2");
    CHECK(socket.path == "/run/redis/redis.sock");
    CHECK(socket.host.empty());
    CHECK(socket.database == 2);
    CHECK(Address::parse("unix://:secret@/run/r.sock").password.reveal() == "secret");
}

TEST_CASE("a cluster URL lists some nodes, with a common user and password")
{
    using redis::Endpoint;
    auto const plain = Address::parse("redis+cluster://cache");
    CHECK(plain.cluster == std::vector<Endpoint>{{"cache", 6379}});
    CHECK(plain.host.empty());

    auto const full = Address::parse("redis+cluster://app:p%40s%2Cs@a:7000,10.0.0.1,[::1]:7001/");
    CHECK(full.cluster == std::vector<Endpoint>{{"a", 7000}, {"10.0.0.1", 6379}, {"::1", 7001}});
    CHECK(full.user == "app");
    CHECK(full.password.reveal() == "p@s,s");
    CHECK(full.database == 0);
    CHECK(Address::parse("redis+cluster://:a,b@cache:1").password.reveal() == "a,b");
    CHECK(Address::parse("redis://cache").cluster.empty());
}

TEST_CASE("a socket's path may be as long as the system allows")
{
    CHECK(Address::parse("unix:///" + std::string(106, 'p')).path.size() == 107);
    CHECK_THROWS_AS(Address::parse("unix:///" + std::string(107, 'p')), std::invalid_argument);
}

TEST_CASE("rediss selects TLS, for a server and for a cluster")
{
    auto const server = Address::parse("rediss://app:p%40ss@master.cache.example:6380/2");
    CHECK(server.tls);
    CHECK(server.host == "master.cache.example");
    CHECK(server.port == 6380);
    CHECK(server.database == 2);
    CHECK(server.password.reveal() == "p@ss");
    auto const cluster = Address::parse("rediss+cluster://:pw@a,b:7001");
    CHECK(cluster.tls);
    CHECK(cluster.cluster == std::vector<redis::Endpoint>{{"a", 6379}, {"b", 7001}});
    CHECK(cluster.password.reveal() == "pw");
    for (auto const* url : {"redis://a", "redis+cluster://a", "unix:///run/r.sock"})
        CHECK_FALSE(Address::parse(url).tls);
}

TEST_CASE("an invalid URL is refused without repeating it")
{
    for (std::string const url : {"", "cache:6379", "http://cache", "rediss://", "redis://", "redis://:6379",
             "redis://cache:0", "redis://cache:65536", "redis://cache:x", "redis://cache/x",
             "redis://cache/-1", "redis://cache/1/2", "redis://cache?db=1", "redis://cache#f",
             "redis://hunter2@cache", "unix://", "unix:///", "unix://host/run/r.sock",
             "unix:///run/r.sock?db=x", "unix:///run/r.sock?other=1", "redis://:hunter2@/", "redis://a,b:1",
             "redis+cluster://", "redis+cluster://a,", "redis+cluster://,a", "redis+cluster://a:1,b:x",
             "redis+cluster://a/1", "redis+cluster://a?x=1", "redis+cluster://hunter2@a,b", "redis+cluster:a",
             "rediss://hunter2@cache", "rediss+cluster://a/1", "rediss+cluster://hunter2@a,b",
             "redisss://cache", "unixs:///run/r.sock"}) {
        CAPTURE(url);
        CHECK_THROWS_AS(Address::parse(url), std::invalid_argument);
        try {
            Address::parse(url);
        } catch (std::invalid_argument const& e) {
            CHECK(std::string(e.what()).find("hunter2") == std::string::npos);
        }
    }
}
