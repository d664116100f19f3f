#include "redis/quota.hpp"

#include "core/id.hpp"
#include "redis/times.hpp"

#include <utility>

namespace redis {

namespace {

/// A key with sliding windows contains a set of uses, sorted by their times in microseconds. The expiry of
/// the key only frees memory: the time of a use decides whether the use is within a window. If the clock was
/// set back, stored uses may be in the future. The script removes uses that are further in the future than
/// the longest window. A key with the count of a calendar day contains a hash with the day and the number of
/// its uses. ARGV contains the time, the use's id and, for each key, the number of its sliding windows and
/// each window's count and length; or, for a calendar day, 0 and the count.
constexpr char const* take_script = R"lua(
local id = ARGV[2]
local day_length = 86400000000
local today = math.floor(now / day_length)
local midnight = (today + 1) * day_length
local function edge(window) return string.format('(%.0f', now - window) end

local wait, at, refused = 0, 3, 0
local left, reset -- of the first limit of all
local longest = {} -- 0 for the count of a day

local function check_day(k, key)
    local count = tonumber(ARGV[at + 1])
    local stored = redis.call('HMGET', key, 'day', 'uses')
    local used = tonumber(stored[1]) == today and tonumber(stored[2]) or 0
    if not left then left, reset = math.max(count - used, 0), midnight - now end
    if used >= count then
        wait = math.max(wait, midnight - now)
        if refused == 0 then refused = k end
    end
    longest[k] = 0
    at = at + 2
end

local function check_windows(k, key, last)
    longest[k] = 0
    for i = at + 2, last, 2 do longest[k] = math.max(longest[k], tonumber(ARGV[i])) end
    redis.call('ZREMRANGEBYSCORE', key, string.format('(%.0f', now + longest[k]), '+inf')
    for i = at + 1, last, 2 do
        local count, window = tonumber(ARGV[i]), tonumber(ARGV[i + 1])
        local used = redis.call('ZCOUNT', key, edge(window), '+inf')
        if not left then
            local oldest = redis.call('ZRANGEBYSCORE', key, edge(window), '+inf', 'WITHSCORES', 'LIMIT', 0, 1)
            left, reset = math.max(count - used, 0), (tonumber(oldest[2]) or now) + window - now
        end
        if used >= count then
            local leaves = redis.call('ZRANGEBYSCORE', key, edge(window), '+inf', 'WITHSCORES',
                'LIMIT', used - count, 1)
            wait = math.max(wait, leaves[2] and tonumber(leaves[2]) + window - now or window)
            if refused == 0 then refused = k end
        end
    end
    at = last + 1
end

for k, key in ipairs(KEYS) do
    local windows = tonumber(ARGV[at])
    if windows == 0 then check_day(k, key) else check_windows(k, key, at + 2 * windows) end
end
if refused > 0 then return {0, wait, left, reset, refused, today} end
for k, key in ipairs(KEYS) do
    if longest[k] == 0 then
        if tonumber(redis.call('HGET', key, 'day')) ~= today then
            redis.call('DEL', key)
            redis.call('HSET', key, 'day', today)
        end
        redis.call('HINCRBY', key, 'uses', 1)
        redis.call('PEXPIRE', key, math.ceil((midnight - now) / 1000) + 60000)
    else
        redis.call('ZREMRANGEBYSCORE', key, '-inf', string.format('%.0f', now - longest[k]))
        redis.call('ZADD', key, string.format('%.0f', now), id)
        redis.call('PEXPIRE', key, math.ceil(longest[k] / 1000) + 60000)
    end
end
return {1, 0, left - 1, reset, 0, today}
)lua";

/// ARGV: the use's id and its day.
constexpr char const* give_back_script = R"lua(
for _, key in ipairs(KEYS) do
    if redis.call('TYPE', key).ok ~= 'hash' then
        redis.call('ZREM', key, ARGV[1])
    elseif redis.call('HGET', key, 'day') == ARGV[2] and tonumber(redis.call('HGET', key, 'uses')) > 0 then
        redis.call('HINCRBY', key, 'uses', -1)
    end
end
return 1
)lua";

/// The first limit of a count.
Limit first_limit(Quota::Count const& count)
{
    if (!count.per_day) return count.limits.front();
    return {.count = *count.per_day, .window = std::chrono::hours(24)};
}

} // namespace

Quota::Quota(Client& client, std::string prefix)
    : client_(client), prefix_(std::move(prefix)), take_(std::string(now_in_lua) + take_script),
      give_back_(give_back_script)
{
}

std::string Quota::key(std::string_view subject, std::string_view name) const
{
    std::string key = prefix_ + ":{";
    key.append(subject).append("}:").append(name);
    return key;
}

asio::awaitable<Use> Quota::take(std::string_view subject, std::span<Count const> counts)
{
    auto id = core::Uuid::v7().to_string();
    std::vector<std::string> names, texts{client_.script_time(), id};
    for (auto const& count : counts) {
        names.push_back(key(subject, count.name));
        texts.push_back(std::to_string(count.per_day ? 0 : count.limits.size()));
        if (count.per_day) {
            texts.push_back(std::to_string(*count.per_day));
            continue;
        }
        for (auto const& limit : count.limits) {
            texts.push_back(std::to_string(limit.count));
            texts.push_back(microseconds(limit.window));
        }
    }
    std::vector<std::string_view> const keys(names.begin(), names.end());
    std::vector<std::string_view> const args(texts.begin(), texts.end());
    auto const reply = co_await client_.eval(take_, keys, args);
    auto const& fields = reply.array();
    bool const allowed = fields.at(0).integer() == 1;
    auto const first = first_limit(counts.front());
    Decision const decision{.allowed = allowed,
        .limit = first.count,
        .remaining = fields.at(2).integer(),
        .window = first.window,
        .retry_after = to_milliseconds(fields.at(1).integer()),
        .reset = to_milliseconds(fields.at(3).integer())};
    Use use{decision};
    use.day = fields.at(5).integer();
    if (allowed)
        use.id = std::move(id);
    else
        use.refused_by = static_cast<std::size_t>(fields.at(4).integer() - 1);
    co_return use;
}

asio::awaitable<Use> Quota::take(
    std::string_view subject, std::string_view name, std::span<Limit const> limits)
{
    Count const count{.name = name, .limits = limits};
    co_return co_await take(subject, {&count, 1});
}

asio::awaitable<void> Quota::give_back(
    std::string_view subject, std::span<std::string const> counts, Use const& use)
{
    std::vector<std::string> names;
    for (auto const& name : counts)
        names.push_back(key(subject, name));
    std::vector<std::string_view> const keys(names.begin(), names.end());
    auto const day = std::to_string(use.day);
    std::vector<std::string_view> const args{use.id, day};
    try {
        co_await client_.eval(give_back_, keys, args);
    } catch (Unavailable const&) { // NOLINT(bugprone-empty-catch): the use stays counted
    }
}

asio::awaitable<void> Quota::give_back(std::string_view subject, std::string_view name, Use const& use)
{
    std::string const count(name);
    co_await give_back(subject, {&count, 1}, use);
}

} // namespace redis
