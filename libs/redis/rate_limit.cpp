#include "redis/rate_limit.hpp"

#include "redis/times.hpp"

#include <algorithm>
#include <stdexcept>

namespace redis {

namespace {

/// The value of the key is a list of the times of allowed requests in microseconds, oldest first. A request
/// is allowed if fewer than `count` of these times are within the window. The result is exact, and its cost
/// does not depend on the limit. The script finds the times that have left the window by doubling steps and
/// bisection, and removes them together.
constexpr char const* script = R"lua(
local key = KEYS[1]
local count, window = tonumber(ARGV[1]), tonumber(ARGV[2])
local function at(index) return tonumber(redis.call('LINDEX', key, index)) end

local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local newest = at(-1)
if newest and newest > now then
    -- The clock was set back. If by more than the window, delete the list. Otherwise use the newest time until
    -- the clock has caught up.
    if newest - now > window then redis.call('DEL', key) else now = newest end
end

local edge = now - window
local used = redis.call('LLEN', key)
local oldest = at(0)
if oldest and oldest <= edge then
    local gone, live = 0, 1
    while live < used and at(live) <= edge do gone, live = live, live * 2 end
    live = math.min(live, used)
    while live - gone > 1 do
        local middle = math.floor((gone + live) / 2)
        if at(middle) <= edge then gone = middle else live = middle end
    end
    redis.call('LTRIM', key, live, -1)
    used = used - live
    oldest = at(0)
end

if used >= count then
    return {0, 0, at(used - count) + window - now, oldest + window - now}
end
redis.call('RPUSH', key, string.format('%.0f', now))
redis.call('PEXPIRE', key, math.ceil(window / 1000) + 1)
return {1, count - used - 1, 0, (oldest or now) + window - now}
)lua";

constexpr std::int64_t max_count = 1'000'000;

std::int64_t whole_seconds(std::chrono::milliseconds time)
{
    return std::max<std::int64_t>(0, std::chrono::ceil<std::chrono::seconds>(time).count());
}

} // namespace

RateLimiter::RateLimiter(Client& client, std::string service)
    : client_(client), service_(std::move(service)), script_(script)
{
}

std::string RateLimiter::key(std::string_view subject, std::chrono::milliseconds window) const
{
    return service_ + ":rl:{" + std::string(subject) + "}:" + std::to_string(window.count());
}

asio::awaitable<void> RateLimiter::forget(std::string_view subject, std::chrono::milliseconds window)
{
    auto const name = key(subject, window);
    co_await client_.command({"UNLINK", name});
}

asio::awaitable<Decision> RateLimiter::take(std::string_view subject, Limit limit)
{
    if (limit.window < std::chrono::milliseconds(1))
        throw std::invalid_argument("a rate limit needs a window of at least 1 ms");
    limit.count = std::clamp<std::int64_t>(limit.count, 0, max_count);
    if (limit.count == 0)
        co_return Decision{.window = limit.window, .retry_after = limit.window, .reset = limit.window};
    auto const name = key(subject, limit.window);
    auto const count = std::to_string(limit.count);
    auto const window = microseconds(limit.window);
    std::vector<std::string_view> const keys{name};
    std::vector<std::string_view> const args{count, window};
    auto const reply = co_await client_.eval(script_, keys, args);
    auto const& fields = reply.array();
    co_return Decision{.allowed = fields.at(0).integer() == 1,
        .limit = limit.count,
        .remaining = fields.at(1).integer(),
        .window = limit.window,
        .retry_after = to_milliseconds(fields.at(2).integer()),
        .reset = to_milliseconds(fields.at(3).integer())};
}

Headers limit_headers(Decision const& decision, std::string_view policy)
{
    auto const name = '"' + std::string(policy) + '"';
    Headers out;
    out.emplace_back("RateLimit-Policy", name + ";q=" + std::to_string(decision.limit) +
                                             ";w=" + std::to_string(whole_seconds(decision.window)));
    out.emplace_back("RateLimit", name + ";r=" + std::to_string(decision.remaining) +
                                      ";t=" + std::to_string(whole_seconds(decision.reset)));
    return out;
}

Headers headers(Decision const& decision, std::string_view policy)
{
    Headers out = limit_headers(decision, policy);
    if (!decision.allowed)
        out.emplace_back(
            "Retry-After", std::to_string(std::max<std::int64_t>(1, whole_seconds(decision.retry_after))));
    return out;
}

} // namespace redis
