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

constexpr std::chrono::hours longest_hold{1};

/// The keys of a project in Redis. They have the same hash tag, so that a script can use both.
struct Keys {
    Keys(core::TenantId tenant, std::string const& project)
        : bucket("notify:push_quota:{" + core::to_string(tenant) + ':' + project + '}'),
          hold("notify:push_hold:{" + core::to_string(tenant) + ':' + project + '}')
    {
    }

    std::string bucket;
    std::string hold; ///< exists while the project is held; its value is the begin of the hold
};

/// KEYS: the bucket, a hash of `permits` and `at` (microseconds), and the hold. ARGV: the time as
/// `now_in_lua` requires, permits per second, the bucket's size, the wanted permits. Returns {granted,
/// microseconds until a permit, milliseconds until the end of the hold}.
std::string bucket_script()
{
    return std::string(redis::now_in_lua) + R"(
local held = redis.call('PTTL', KEYS[2])
if held > 0 then return {0, 0, held} end
local rate, size, wanted = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local bucket = redis.call('HMGET', KEYS[1], 'permits', 'at')
local permits, at = tonumber(bucket[1]) or size, tonumber(bucket[2]) or now
permits = math.min(size, permits + math.max(0, now - at) * rate / 1000000)
local granted = math.min(wanted, math.floor(permits))
redis.call('HSET', KEYS[1], 'permits', tostring(permits - granted), 'at', string.format('%.0f', now))
redis.call('PEXPIRE', KEYS[1], 60000)
if granted > 0 then return {granted, 0, 0} end
return {0, math.ceil((1 - permits) * 1000000 / rate), 0}
)";
}

/// KEYS: the hold. ARGV: its length in milliseconds, the begin of the hold if there is none yet.
constexpr std::string_view hold_script = R"(
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[1]) then
    redis.call('SET', KEYS[1], redis.call('GET', KEYS[1]) or ARGV[2], 'PX', ARGV[1])
end
return 0
)";

/// KEYS: the hold. Returns {milliseconds until the end of the hold, its begin}, or nil.
constexpr std::string_view find_hold_script = R"(
local held = redis.call('PTTL', KEYS[1])
return held > 0 and {held, redis.call('GET', KEYS[1])}
)";

} // namespace

struct PushQuota::State : std::enable_shared_from_this<State> {
    State(redis::Client& client, asio::io_context& context, std::int64_t per_minute)
        : redis(client), io(context), script(bucket_script()), holding(std::string(hold_script)),
          finding(std::string(find_hold_script)),
          rate(std::max<double>(1.0, static_cast<double>(per_minute) / 60.0)),
          size(std::max(1.0, rate * std::chrono::duration<double>(burst).count()))
    {
    }

    struct Taken {
        Grant grant;
        std::chrono::microseconds wait{}; ///< until there may be a permit
    };

    asio::awaitable<void> run(Keys keys, std::size_t wanted, Granted granted)
    {
        asio::steady_timer timer(io);
        for (;;) {
            auto const taken = co_await take(keys, wanted);
            if (stopped) co_return;
            if (taken.grant.permits > 0 || taken.grant.held > 0ms) co_return granted(taken.grant);
            timer.expires_after(std::clamp<std::chrono::microseconds>(taken.wait, 1ms, 1s));
            co_await timer.async_wait(asio::use_awaitable);
            if (stopped) co_return;
        }
    }

    asio::awaitable<Taken> take(Keys const& keys, std::size_t wanted)
    {
        std::string const rate_text = std::to_string(rate), size_text = std::to_string(size),
                          wanted_text = std::to_string(wanted);
        try {
            auto const reply = co_await redis.eval(
                script, {keys.bucket, keys.hold}, {redis_clock, rate_text, size_text, wanted_text});
            auto const& values = reply.array();
            co_return Taken{{.permits = static_cast<std::size_t>(values.at(0).integer()),
                                .held = std::chrono::milliseconds(values.at(2).integer())},
                std::chrono::microseconds(values.at(1).integer())};
        } catch (std::exception const&) { // NOLINT(bugprone-empty-catch): this process paces itself
        }
        co_return take_locally(keys.bucket, wanted);
    }

    Taken take_locally(std::string const& key, std::size_t wanted)
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
        return {{.permits = granted}, std::chrono::duration_cast<std::chrono::microseconds>(wait)};
    }

    asio::awaitable<void> hold(Keys keys, std::chrono::milliseconds length, core::Time since)
    {
        std::string const length_text = std::to_string(length.count()),
                          since_text = redis::microseconds(since.time_since_epoch());
        try {
            co_await redis.eval(holding, {keys.hold}, {length_text, since_text});
        } catch (std::exception const&) { // NOLINT(bugprone-empty-catch): only the caller knows of the hold
        }
    }

    asio::awaitable<std::optional<Hold>> find_hold(Keys keys)
    {
        try {
            auto const reply = co_await redis.eval(finding, {keys.hold}, {});
            if (!reply.is_nil())
                co_return Hold{core::Time(std::chrono::microseconds(std::stoll(reply.array().at(1).text()))),
                    std::chrono::milliseconds(reply.array().at(0).integer())};
        } catch (std::exception const&) { // NOLINT(bugprone-empty-catch): the hold is unknown
        }
        co_return std::nullopt;
    }

    struct Bucket {
        double permits;
        Steady::time_point at;
    };

    redis::Client& redis;
    asio::io_context& io;
    redis::Script const script, holding, finding;
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
    asio::co_spawn(
        state_->io,
        [state = state_, keys = Keys(tenant, project), wanted, granted = std::move(granted)]() mutable {
            return state->run(std::move(keys), wanted, std::move(granted));
        },
        asio::detached);
}

void PushQuota::hold(
    core::TenantId tenant, std::string const& project, std::chrono::milliseconds length, core::Time since)
{
    if (length <= 0ms) return;
    asio::co_spawn(
        state_->io,
        [state = state_, keys = Keys(tenant, project),
            length = std::min<std::chrono::milliseconds>(length, longest_hold),
            since]() mutable { return state->hold(std::move(keys), length, since); },
        asio::detached);
}

asio::awaitable<std::optional<PushQuota::Hold>> PushQuota::find_hold(
    core::TenantId tenant, std::string const& project) const
{
    return state_->find_hold(Keys(tenant, project));
}

} // namespace notify
