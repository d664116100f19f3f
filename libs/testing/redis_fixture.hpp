#pragma once

#include "observe/log.hpp"
#include "redis/client.hpp"
#include "testing/contexts.hpp"
#include "testing/fake_clock.hpp"
#include "testing/redis.hpp"

#include <chrono>
#include <future>
#include <string>
#include <utility>

namespace testing {

/// For tests that are not about time-outs: a machine that stalls for a while must not look like a Redis that
/// is down, as it would with the service's 250 ms.
inline redis::ClientOptions patient_client(
    std::string const& redis_url, core::Clock const* script_clock = nullptr)
{
    return {.address = redis::Address::parse(redis_url),
        .timeout = std::chrono::seconds(10),
        .script_clock = script_clock};
}

/// A Redis of the test's own and a client of it, on contexts with a thread each.
///
///     testing::RedisFixture redis;
///     sms::SenderGuard guard(redis.client, "+18005550100", true, 2);
///     CHECK(redis.await(guard.take()).allowed);
///     redis.clock.advance(1min); // for scripts that ask for the time
///
/// A fixture of a test file derives from it, or has it as its first member: what works on `client` is to go
/// before it does, with no coroutine under way.
struct RedisFixture {
    explicit RedisFixture(unsigned context_count = 1)
        : contexts(context_count), client(patient_client(server.url(), &clock), contexts.all, logger)
    {
    }

    /// Starts a coroutine on a context's thread.
    template <class T> std::future<T> start(asio::awaitable<T> task, std::size_t context = 0)
    {
        return contexts.start(std::move(task), context);
    }

    /// Runs a coroutine on a context's thread; its value, or what it threw.
    template <class T> T await(asio::awaitable<T> task, std::size_t context = 0)
    {
        return contexts.await(std::move(task), context);
    }

    FakeClock clock;
    Redis server;
    observe::Logger logger{"test", observe::Level::off};
    Contexts contexts;
    redis::Client client; ///< goes first, so that the contexts run dry and are joined
};

} // namespace testing
