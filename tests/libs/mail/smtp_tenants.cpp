#include "client_calls.hpp"
#include "support/eventually.hpp"
#include "support/gate.hpp"

#include <future>

// The shares of tenants in the connections and in the queue. A message whose replies are slow holds its
// connection.

using namespace mailing;
using testing::ScriptedSmtpServer, testing::eventually;

namespace {

using Sent = std::future<SendResult>;

constexpr std::int64_t slow_tenant = 1, other_tenant = 2, third_tenant = 3;

/// A server that replies to the recipient `slow@example.org` when `held` is open, and a client.
struct Fixture {
    explicit Fixture(std::size_t connections, std::size_t max_queued = 2'000)
    {
        auto options = to_server(server.url());
        options.max_connections = connections;
        options.max_queued = max_queued;
        client.emplace(std::move(options));
    }

    void serve(SmtpPeer& peer)
    {
        peer.greet({});
        for (;;) {
            peer.line();
            peer.say("250 2.1.0 Ok");
            if (peer.line().find("<slow@") != std::string::npos) held.pass_blocking();
            peer.say("250 2.1.5 Ok");
            peer.line();
            peer.say("354 Go ahead");
            peer.message();
            peer.say("250 2.0.0 Ok");
        }
    }

    Sent send(std::int64_t tenant, std::string to = "slow@example.org")
    {
        return start(*client, envelope_of(tenant, std::move(to)));
    }

    /// Sends messages of one tenant whose replies are slow.
    std::vector<Sent> send_slow(std::int64_t tenant, std::size_t count)
    {
        std::vector<Sent> sent;
        sent.reserve(count);
        for (std::size_t i = 0; i < count; ++i)
            sent.push_back(send(tenant));
        return sent;
    }

    /// The recipients of the messages so far, in the order in which the server saw them.
    std::vector<std::string> recipients() const
    {
        constexpr std::string_view begin = "RCPT TO:<";
        std::vector<std::string> found;
        for (auto const& line : server.lines())
            if (line.starts_with(begin))
                found.push_back(line.substr(begin.size(), line.find('@') - begin.size()));
        return found;
    }

    testing::Gate held;
    ScriptedSmtpServer const server{[this](SmtpPeer& peer, int) { serve(peer); }};
    std::optional<SmtpClient> client;
    testing::OpenAtEnd const open_at_end{held};
};

bool is_accepted(Sent& sent)
{
    return eventually([&] { return sent.wait_for(0s) == std::future_status::ready; }) &&
           sent.get().outcome == Outcome::accepted;
}

} // namespace

TEST_CASE("a tenant whose replies are slow leaves a connection to the others")
{
    std::size_t const connections = GENERATE(2U, 4U, 20U);
    Fixture f(connections);
    std::size_t const most = connections * 4 / 5;
    auto slow = f.send_slow(slow_tenant, 100);
    REQUIRE(eventually([&] { return f.held.arrived() >= most; }));
    for (int i = 0; i < 10; ++i) {
        auto sent = f.send(other_tenant, "ada@example.org");
        REQUIRE(is_accepted(sent));
    }
    CHECK(f.held.arrived() == most);
    CHECK(f.client->stats().queued == slow.size());
    f.held.open();
    for (auto& sent : slow)
        CHECK(is_accepted(sent));
}

TEST_CASE("two tenants whose replies are slow leave a connection to a third one")
{
    Fixture f(20);
    auto first = f.send_slow(slow_tenant, 50);
    REQUIRE(eventually([&] { return f.held.arrived() >= 16; }));
    auto second = f.send_slow(other_tenant, 50);
    REQUIRE(eventually([&] { return f.held.arrived() >= 19; }));
    auto sent = f.send(third_tenant, "ada@example.org");
    CHECK(is_accepted(sent));
    CHECK(f.held.arrived() == 19);
}

TEST_CASE("tenants take turns at a connection")
{
    Fixture f(1);
    auto slow = f.send(slow_tenant);
    REQUIRE(eventually([&] { return f.held.arrived() == 1; }));
    std::vector<Sent> sent;
    for (int i = 0; i < 10; ++i)
        sent.push_back(f.send(slow_tenant, "one@example.org"));
    sent.push_back(f.send(other_tenant, "two@example.org"));
    sent.push_back(f.send(third_tenant, "three@example.org"));
    f.held.open();
    for (auto& each : sent)
        CHECK(is_accepted(each));
    auto order = f.recipients();
    REQUIRE(order.size() == 13);
    order.resize(5);
    CHECK(order == std::vector<std::string>{"slow", "one", "two", "three", "one"});
    CHECK(is_accepted(slow));
}

TEST_CASE("a single connection is not shared")
{
    Fixture f(1);
    auto sent = f.send_slow(slow_tenant, 5);
    f.held.open();
    for (auto& each : sent)
        CHECK(is_accepted(each));
    CHECK(f.server.connections() == 1);
}

TEST_CASE("a tenant cannot fill the queue of messages")
{
    Fixture f(4, 10);
    auto slow = f.send_slow(slow_tenant, 8);
    auto refused = f.send(slow_tenant);
    CHECK(refused.get().reason == "BUSY");
    auto sent = f.send(other_tenant, "ada@example.org");
    CHECK(is_accepted(sent));
    f.held.open();
    for (auto& each : slow)
        CHECK(is_accepted(each));
}
