#include "closing_server.hpp"
#include "pg/listener.hpp"
#include "schema.hpp"
#include "support/eventually.hpp"

#include <atomic>
#include <mutex>

namespace {

struct Fixture {
    ~Fixture()
    {
        postgres.resume();
        postgres.start();
    }

    std::vector<std::string> received()
    {
        std::lock_guard const lock(mutex);
        return payloads;
    }

    void notify(std::string const& channel, std::string const& payload)
    {
        postgres.query("SELECT pg_notify('" + channel + "', '" + payload + "')");
    }

    testing::Postgres postgres{"listening"};
    std::mutex mutex;
    std::vector<std::string> payloads;
    std::atomic<int> gaps = 0;
    pg::Listener listener{postgres.owner_url(),
        {{"keys",
             [this](std::string const& payload) {
                 if (payload == "throw") throw std::runtime_error("a handler's own");
                 std::lock_guard const lock(mutex);
                 payloads.push_back(payload);
             }},
            {"Odd \"name\"",
                [this](std::string const& payload) {
                    std::lock_guard const lock(mutex);
                    payloads.push_back("odd " + payload);
                }}},
        [this] { ++gaps; }};
};

} // namespace

TEST_CASE_METHOD(Fixture, "notifications reach the handler of their channel in order")
{
    REQUIRE(testing::eventually([&] { return listener.live(); }));
    CHECK(gaps == 1);
    notify("keys", "one");
    notify("unheard", "two");
    notify("Odd \"name\"", "three");
    notify("keys", "");
    CHECK(
        testing::eventually([&] { return received() == std::vector<std::string>{"one", "odd three", ""}; }));
    CHECK(gaps == 1);
}

TEST_CASE_METHOD(Fixture, "a lost connection is reported as a gap, and listening continues")
{
    REQUIRE(testing::eventually([&] { return listener.live(); }));
    postgres.restart();
    REQUIRE(testing::eventually([&] { return gaps == 2 && listener.live(); }));
    notify("keys", "after");
    CHECK(testing::eventually([&] { return received() == std::vector<std::string>{"after"}; }));
}

TEST_CASE_METHOD(Fixture, "an exception of a handler is reported as a gap, and listening continues")
{
    REQUIRE(testing::eventually([&] { return listener.live(); }));
    notify("keys", "throw");
    REQUIRE(testing::eventually([&] { return gaps == 2 && listener.live(); }));
    notify("keys", "after");
    CHECK(testing::eventually([&] { return received() == std::vector<std::string>{"after"}; }));
}

TEST_CASE_METHOD(Fixture, "a listener is not live while its server is down or silent")
{
    bool const silent = GENERATE(true, false);
    REQUIRE(testing::eventually([&] { return listener.live(); }));
    silent ? postgres.pause() : postgres.stop();
    REQUIRE(testing::eventually([&] { return !listener.live(); }));
    silent ? postgres.resume() : postgres.start();
    CHECK(testing::eventually([&] { return listener.live(); }));
    // No notification is lost while the server is only silent.
    CHECK(gaps == (silent ? 1 : 2));
}

TEST_CASE_METHOD(Fixture, "a listener can be stopped while its server is silent")
{
    REQUIRE(testing::eventually([&] { return listener.live(); }));
    postgres.pause();
    REQUIRE(testing::eventually([&] { return !listener.live(); })); // the listener waits for a reply
    listener.stop();
    CHECK_FALSE(listener.live());
}

TEST_CASE("a listener without a server keeps trying and can be stopped")
{
    std::atomic<int> gaps = 0;
    ClosingServer const server;
    pg::Listener listener(server.url(), {}, [&] { ++gaps; });
    CHECK(testing::eventually([&] { return server.attempts() >= 3; }));
    CHECK_FALSE(listener.live());
    CHECK(gaps == 0);
    listener.stop();
    CHECK_THROWS_AS(pg::Listener("host='unfinished", {}, [] {}), std::invalid_argument);
}
