#pragma once

#include "observe/log.hpp"
#include "redis/client.hpp"
#include "support/contexts.hpp"
#include "support/fake_clock.hpp"
#include "support/redis.hpp"

#include <chrono>
#include <future>
#include <string>
#include <utility>

namespace testing {

/// Returns options with a long time-out, for tests that do not test time-outs. With the service's 250 ms, a
/// slow machine would look like a Redis that is down.
inline redis::ClientOptions patient_client(
    std::string const& redis_url, core::Clock const* script_clock = nullptr)
{
    return {.address = redis::Address::parse(redis_url),
        .timeout = std::chrono::seconds(10),
        .script_clock = script_clock};
}

/// A private Redis server and a client for it, on contexts with one thread each.
///
///     testing::RedisFixture redis;
///     sms::SenderGuard guard(redis.client, "+18005550100", true, 2);
///     CHECK(redis.await(guard.take()).allowed);
///     redis.clock.advance(1min); // for scripts that read the time
///
/// Derive a fixture from it, or make it the first member: all objects that use `client` must be destroyed
/// before the fixture, and no coroutine may be running when the fixture is destroyed.
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

    /// Runs a coroutine on a context's thread; returns its value or throws its exception.
    template <class T> T await(asio::awaitable<T> task, std::size_t context = 0)
    {
        return contexts.await(std::move(task), context);
    }

    FakeClock clock;
    Redis server;
    observe::Logger logger{"test", observe::Level::off};
    Contexts contexts;
    redis::Client client; ///< destroyed first, so that the contexts run out of work and are joined
};

} // namespace testing
