#include "sms/guard.hpp"

#include "testing/fake_clock.hpp"
#include "testing/redis.hpp"
#include "testing/run_awaitable.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/use_future.hpp>
#include <catch2/catch.hpp>

#include <thread>

using namespace std::chrono_literals;

namespace asio = boost::asio;

namespace {

struct Fixture {
    Fixture() : thread([this] { ioc.run(); }) {}

    ~Fixture()
    {
        client.stop();
        work.reset();
        thread.join();
    }

    Fixture(Fixture const&) = delete;
    Fixture& operator=(Fixture const&) = delete;

    template <class T> T await(asio::awaitable<T> task)
    {
        return asio::co_spawn(ioc, std::move(task), asio::use_future).get();
    }

    testing::Redis server;
    observe::Logger logger{"test", observe::Level::off};
    asio::io_context ioc{1};
    asio::executor_work_guard<asio::io_context::executor_type> work{ioc.get_executor()};
    redis::Client client{{.address = redis::Address::parse(server.url())}, {&ioc}, logger};
    testing::FakeClock clock;
    std::thread thread;
};

} // namespace

TEST_CASE("a sender that is not verified sends 500 in any day, whoever asks")
{
    Fixture f;
    sms::SenderGuard one(f.client, "+18005550100", false, 3'000);
    sms::SenderGuard other(f.client, "+18005550100", false, 3'000);
    for (int i = 0; i < 500; ++i)
        REQUIRE(f.await((i % 2 == 0 ? one : other).take(f.clock.now())).allowed);
    auto const refused = f.await(one.take(f.clock.now()));
    CHECK_FALSE(refused.allowed);
    CHECK(refused.retry_after == 24h);
    sms::SenderGuard elsewhere(f.client, "+18005550199", false, 3'000);
    CHECK(f.await(elsewhere.take(f.clock.now())).allowed);

    f.clock.advance(24h - 1us);
    CHECK_FALSE(f.await(one.take(f.clock.now())).allowed);
    f.clock.advance(1us);
    CHECK(f.await(one.take(f.clock.now())).allowed);
}

TEST_CASE("a verified sender is held to a number a minute, and what was not sent does not count")
{
    Fixture f;
    sms::SenderGuard guard(f.client, "+18005550100", true, 2);
    auto const first = f.await(guard.take(f.clock.now()));
    CHECK(f.await(guard.take(f.clock.now())).allowed);
    CHECK_FALSE(f.await(guard.take(f.clock.now())).allowed);
    f.await(guard.give_back(first));
    CHECK(f.await(guard.take(f.clock.now())).allowed);
    f.clock.advance(1min);
    CHECK(f.await(guard.take(f.clock.now())).allowed);
}
