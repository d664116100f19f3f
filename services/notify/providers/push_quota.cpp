#include "providers/push_quota.hpp"

#include "redis/times.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace notify {

namespace {

using namespace std::chrono_literals;
using Steady = std::chrono::steady_clock;

/// The time argument of the script: permits follow Redis' clock, also in tests that set another clock.
constexpr std::string_view redis_clock;

/// Beyond this number, buckets of this process that are full are discarded.
constexpr std::size_t remembered = 1'000;

/// KEYS[1]: the bucket, a hash of `permits` and `at` (microseconds). ARGV: the time as `now_in_lua` requires,
/// permits per second, the bucket's size, the wanted permits. Returns {granted, microseconds until a permit}.
std::string bucket_script()
{
    return std::string(redis::now_in_lua) + R"(
local rate, size, wanted = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local bucket = redis.call('HMGET', KEYS[1], 'permits', 'at')
local permits, at = tonumber(bucket[1]) or size, tonumber(bucket[2]) or now
permits = math.min(size, permits + math.max(0, now - at) * rate / 1000000)
local granted = math.min(wanted, math.floor(permits))
redis.call('HSET', KEYS[1], 'permits', tostring(permits - granted), 'at', string.format('%.0f', now))
redis.call('PEXPIRE', KEYS[1], 60000)
if granted > 0 then return {granted, 0} end
return {0, math.ceil((1 - permits) * 1000000 / rate)}
)";
}

} // namespace

struct PushQuota::State : std::enable_shared_from_this<State> {
    State(redis::Client& client, asio::io_context& context, std::int64_t per_minute)
        : redis(client), io(context), script(bucket_script()),
          rate(std::max<double>(1.0, static_cast<double>(per_minute) / 60.0)),
          size(std::max(1.0, rate * std::chrono::duration<double>(burst).count()))
    {
    }

    struct Grant {
        std::size_t permits = 0;
        std::chrono::microseconds wait{};
    };

    asio::awaitable<void> run(std::string key, std::size_t wanted, Granted granted)
    {
        asio::steady_timer timer(io);
        for (;;) {
            auto const grant = co_await take(key, wanted);
            if (stopped) co_return;
            if (grant.permits > 0) co_return granted(grant.permits);
            timer.expires_after(std::clamp<std::chrono::microseconds>(grant.wait, 1ms, 1s));
            co_await timer.async_wait(asio::use_awaitable);
            if (stopped) co_return;
        }
    }

    asio::awaitable<Grant> take(std::string const& key, std::size_t wanted)
    {
        std::string const rate_text = std::to_string(rate), size_text = std::to_string(size),
                          wanted_text = std::to_string(wanted);
        try {
            auto const reply =
                co_await redis.eval(script, {key}, {redis_clock, rate_text, size_text, wanted_text});
            auto const& values = reply.array();
            co_return Grant{static_cast<std::size_t>(values.at(0).integer()),
                std::chrono::microseconds(values.at(1).integer())};
        } catch (std::exception const&) { // NOLINT(bugprone-empty-catch): this process paces itself
        }
        co_return take_locally(key, wanted);
    }

    Grant take_locally(std::string const& key, std::size_t wanted)
    {
        std::lock_guard const lock(mutex);
        auto const now = Steady::now();
        if (local.size() >= remembered && !local.contains(key)) local.clear();
        auto& [permits, at] = local.try_emplace(key, size, now).first->second;
        permits = std::min(size, permits + std::chrono::duration<double>(now - at).count() * rate);
        at = now;
        auto const granted = std::min(wanted, static_cast<std::size_t>(permits));
        permits -= static_cast<double>(granted);
        auto const wait = std::chrono::duration<double>((1.0 - permits) / rate);
        return {granted, std::chrono::duration_cast<std::chrono::microseconds>(wait)};
    }

    struct Bucket {
        double permits;
        Steady::time_point at;
    };

    redis::Client& redis;
    asio::io_context& io;
    redis::Script const script;
    double const rate; ///< permits per second
    double const size; ///< of the bucket
    std::atomic<bool> stopped = false;
    std::mutex mutex;
    std::map<std::string, Bucket> local; ///< used while Redis is down; protected by the mutex
};

PushQuota::PushQuota(redis::Client& redis, asio::io_context& io, std::int64_t per_minute)
    : state_(std::make_shared<State>(redis, io, per_minute))
{
}

PushQuota::~PushQuota()
{
    state_->stopped = true;
}

void PushQuota::take(core::TenantId tenant, std::string const& project, std::size_t wanted, Granted granted)
{
    std::string key = "notify:push_quota:{" + core::to_string(tenant) + ':' + project + '}';
    asio::co_spawn(
        state_->io,
        [state = state_, key = std::move(key), wanted, granted = std::move(granted)]() mutable {
            return state->run(std::move(key), wanted, std::move(granted));
        },
        asio::detached);
}

} // namespace notify
