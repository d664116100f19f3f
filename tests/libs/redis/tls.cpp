#include "cluster_fixture.hpp"
#include "support/captured.hpp"
#include "support/certificates.hpp"
#include "support/eventually.hpp"

#include <catch2/catch.hpp>

// Redis with TLS, as cloud providers offer it: a single server, a cluster, and servers with a wrong
// certificate.

using namespace std::chrono_literals;
using redis::Address;
using redis_test::call, redis_test::RedisCluster;

namespace asio = boost::asio;

namespace {

/// A client with TLS and its log.
struct Fixture {
    explicit Fixture(std::string const& url, redis::TlsOptions tls, unsigned context_count = 1,
        std::chrono::milliseconds timeout = 10s)
        : contexts(context_count)
    {
        auto options = testing::patient_client(url);
        options.tls = std::move(tls);
        options.timeout = timeout;
        client = std::make_unique<redis::Client>(options, contexts.all, logger);
    }

    redis::Reply operator()(std::vector<std::string> args, std::size_t context = 0)
    {
        return contexts.await(call(*client, std::move(args)), context);
    }

    bool answered(std::vector<std::string> args)
    {
        try {
            (*this)(std::move(args));
            return true;
        } catch (redis::Unavailable const&) {
            return false;
        }
    }

    /// Whether no command gets a reply and the log contains `reason`.
    bool refuses(std::string const& reason)
    {
        bool const refused = !answered({"PING"}) && !client->healthy();
        return refused && testing::eventually([&] {
            logger.flush(30s);
            return log.text().find(reason) != std::string::npos;
        });
    }

    testing::Captured log;
    observe::Logger logger{"redis", observe::Level::debug, log.fd()};
    testing::Contexts contexts;
    /// Destroyed first, so that the contexts run out of work and are joined.
    std::unique_ptr<redis::Client> client;
};

testing::Authority& authority()
{
    static testing::Authority one;
    return one;
}

redis::TlsOptions trusted()
{
    return {.ca_file = authority().file()};
}

std::string port_of(testing::Redis const& server)
{
    return std::to_string(server.port());
}

} // namespace

TEST_CASE("large commands and many commands at a time are sent through TLS")
{
    testing::Redis const server(authority(), "IP:127.0.0.1");
    Fixture redis(server.url(), trusted(), 2);
    std::string const big(6 * 1024 * 1024, 'x');
    CHECK(redis({"SET", "big", big}).text() == "OK");
    CHECK(redis({"GET", "big"}).text() == big);
    std::vector<std::future<void>> done;
    std::atomic<int> wrong = 0;
    auto const caller = [&](int number) -> asio::awaitable<void> {
        for (int i = 0; i < 50; ++i) {
            auto const text = std::to_string(number) + ":" + std::to_string(i);
            if ((co_await call(*redis.client, {"ECHO", text})).text() != text) ++wrong;
        }
    };
    for (int c = 0; c < 200; ++c)
        done.push_back(redis.contexts.start(caller(c), static_cast<std::size_t>(c % 2)));
    for (auto& future : done)
        future.get();
    CHECK(wrong == 0);
}

TEST_CASE("a TLS server refuses plain connections, and a plain server refuses TLS connections")
{
    testing::Redis const secret(authority(), "IP:127.0.0.1");
    Fixture in_the_clear("redis://127.0.0.1:" + port_of(secret), {});
    CHECK(in_the_clear.refuses("redis unavailable"));
    testing::Redis const open;
    // A short time limit, because the plain server does not answer: it waits for the end of a line.
    Fixture under_tls("rediss://127.0.0.1:" + port_of(open), trusted(), 1, 250ms);
    CHECK(under_tls.refuses("redis unavailable"));
}

TEST_CASE("a certificate from another authority is refused")
{
    testing::Authority other;
    testing::Redis const server(other, "IP:127.0.0.1");
    Fixture redis(server.url(), trusted());
    CHECK(redis.refuses("the server's certificate is refused"));
    Fixture by_the_system(server.url(), {});
    CHECK(by_the_system.refuses("the server's certificate is refused"));
    CHECK(Fixture(server.url(), {.ca_file = other.file()}).answered({"PING"}));
}

TEST_CASE("a certificate must contain the host of the URL, a name or an address")
{
    testing::Redis const named(authority(), "DNS:localhost"), numbered(authority(), "IP:127.0.0.1");
    auto const by_name = [](testing::Redis const& server) { return "rediss://localhost:" + port_of(server); };
    CHECK(Fixture(by_name(named), trusted()).answered({"PING"}));
    CHECK(Fixture(named.url(), trusted()).refuses("IP address mismatch"));
    CHECK(Fixture(numbered.url(), trusted()).answered({"PING"}));
    CHECK(Fixture(by_name(numbered), trusted()).refuses("hostname mismatch"));
}

TEST_CASE("a server that requires a client certificate gets it")
{
    testing::Redis const server(authority(), "IP:127.0.0.1", true);
    CHECK(Fixture(server.url(), trusted()).refuses("certificate required"));
    auto const own = authority().issue("DNS:client");
    auto const shown = redis::TlsOptions{
        .ca_file = authority().file(), .certificate_file = own.file, .private_key_file = own.key};
    CHECK(Fixture(server.url(), shown).answered({"PING"}));
}

TEST_CASE("the error contains the name of a file that cannot be used")
{
    observe::Logger logger("redis", observe::Level::off);
    testing::Contexts contexts;
    auto const make = [&](redis::TlsOptions tls) {
        redis::Client(
            {.address = Address::parse("rediss://127.0.0.1"), .tls = std::move(tls)}, contexts.all, logger);
    };
    auto const key = authority().issue("DNS:client").key;
    CHECK_THROWS_WITH(make({.ca_file = "/nowhere/ca.pem"}), Catch::Contains("/nowhere/ca.pem"));
    CHECK_THROWS_WITH(make({.ca_file = key}), Catch::Contains(key));
    CHECK_THROWS_WITH(make({.certificate_file = key, .private_key_file = key}), Catch::Contains(key));
}

TEST_CASE("a TLS server is used again after a restart and after it has hung")
{
    testing::Redis server(authority(), "IP:127.0.0.1");
    Fixture redis(server.url(), trusted());
    CHECK(redis({"SET", "k", "v"}).text() == "OK");
    server.stop();
    CHECK(testing::eventually([&] { return !redis.client->healthy(); }));
    CHECK_FALSE(redis.answered({"GET", "k"}));
    server.start();
    CHECK(testing::eventually([&] { return redis.answered({"SET", "k", "again"}); }));

    auto options = testing::patient_client(server.url());
    options.tls = trusted();
    options.timeout = 250ms;
    redis.client = std::make_unique<redis::Client>(options, redis.contexts.all, redis.logger);
    CHECK(testing::eventually([&] { return redis.answered({"PING"}); }));
    server.pause();
    CHECK_FALSE(redis.answered({"GET", "k"}));
    CHECK(testing::eventually([&] { return !redis.client->healthy(); }));
    server.resume();
    CHECK(testing::eventually([&] { return redis.answered({"GET", "k"}); }));
}

TEST_CASE("every node of a cluster with TLS is used, at the addresses that the cluster announces")
{
    RedisCluster const cluster({.authority = &authority(), .names = "IP:127.0.0.1"});
    Fixture redis(cluster.url(), trusted(), 2);
    for (int i = 0; i < 90; ++i)
        CHECK(redis({"SET", redis_test::key_of(i), "v"}, static_cast<std::size_t>(i % 2)).text() == "OK");
    for (std::size_t node = 0; node < cluster.size(); ++node)
        CHECK(redis_test::keys_at(cluster, node) > 0);
    CHECK(Fixture(cluster.url(), {}).refuses("the server's certificate is refused"));
    CHECK(Fixture("redis" + cluster.url().substr(6), {}).refuses("redis unavailable"));

    // The URL names one node by a name that its certificate does not have.
    auto const by_name = "rediss+cluster://localhost:" + std::to_string(cluster.port(0));
    CHECK(Fixture(by_name, trusted()).refuses("hostname mismatch"));
}

TEST_CASE("the certificates of cluster nodes are verified against the names that the nodes announce")
{
    RedisCluster const cluster(
        {.authority = &authority(), .names = "DNS:localhost", .announce_localhost = true});
    auto const one = "rediss+cluster://localhost:" + std::to_string(cluster.port(0));
    Fixture redis(one, trusted());
    auto const everywhere = [&] {
        for (int i = 0; i < 90; ++i)
            if (!redis.answered({"SET", redis_test::key_of(i), "v"})) return false;
        return true;
    };
    CHECK(testing::eventually(everywhere)); // it takes some time until every node knows all names
    for (std::size_t node = 0; node < cluster.size(); ++node)
        CHECK(redis_test::keys_at(cluster, node) > 0);
    CHECK(Fixture(cluster.url(), trusted()).refuses("IP address mismatch"));
}

TEST_CASE("with TLS a replica that has taken over from its master is found")
{
    RedisCluster cluster({.replicas = 1, .node_timeout = 2s, .authority = &authority()});
    Fixture redis(cluster.url(), trusted());
    auto const key = [&] {
        for (int i = 0;; ++i)
            if (cluster.keeper_of(redis::slot_of(redis_test::key_of(i))) == 0) return redis_test::key_of(i);
    }();
    REQUIRE(redis({"SET", key, "kept"}).text() == "OK");
    REQUIRE(testing::eventually([&] { return redis_test::keys_at(cluster, 3) == 1; }));
    // TAKEOVER needs no votes of other masters, which could come too late on a slow machine.
    cluster.at(3, {"CLUSTER", "FAILOVER", "TAKEOVER"});
    cluster.stop(0);
    CHECK(testing::eventually(
        [&] {
            try {
                return redis({"GET", key}).text() == "kept";
            } catch (redis::Unavailable const&) {
                return false;
            }
        },
        60s));
}
