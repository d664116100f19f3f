#include "redis/quota.hpp"

#include "core/id.hpp"
#include "redis/times.hpp"

#include <utility>

namespace redis {

namespace {

/// The value of a key is a set of uses, sorted by their times in microseconds. The expiry of the key only
/// frees memory: the time of a use decides whether the use is within a window. ARGV contains the time, the
/// use's id and, for each key, the number of its limits and each limit's count and window. If the clock was
/// set back, stored uses may be in the future. The script removes uses that are further in the future than
/// the longest window.
constexpr char const* take_script = R"lua(
local id = ARGV[2]
local function edge(window) return string.format('(%.0f', now - window) end

local wait, at = 0, 3
local left, reset -- of the first limit of all
local longest = {}
for k, key in ipairs(KEYS) do
    local last = at + 2 * tonumber(ARGV[at])
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
        end
    end
    at = last + 1
end
if wait > 0 then return {0, wait, left, reset} end
for k, key in ipairs(KEYS) do
    redis.call('ZREMRANGEBYSCORE', key, '-inf', string.format('%.0f', now - longest[k]))
    redis.call('ZADD', key, string.format('%.0f', now), id)
    redis.call('PEXPIRE', key, math.ceil(longest[k] / 1000) + 60000)
end
return {1, 0, left - 1, reset}
)lua";

constexpr char const* give_back_script = R"lua(
for _, key in ipairs(KEYS) do redis.call('ZREM', key, ARGV[1]) end
return 1
)lua";

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
        texts.push_back(std::to_string(count.limits.size()));
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
    auto const& first = counts.front().limits.front();
    Decision const decision{.allowed = allowed,
        .limit = first.count,
        .remaining = fields.at(2).integer(),
        .window = first.window,
        .retry_after = to_milliseconds(fields.at(1).integer()),
        .reset = to_milliseconds(fields.at(3).integer())};
    co_return Use{decision, allowed ? std::move(id) : std::string()};
}

asio::awaitable<Use> Quota::take(
    std::string_view subject, std::string_view name, std::span<Limit const> limits)
{
    Count const count{name, limits};
    co_return co_await take(subject, {&count, 1});
}

asio::awaitable<void> Quota::give_back(
    std::string_view subject, std::span<std::string const> counts, Use const& use)
{
    std::vector<std::string> names;
    for (auto const& name : counts)
        names.push_back(key(subject, name));
    std::vector<std::string_view> const keys(names.begin(), names.end());
    std::vector<std::string_view> const args{use.id};
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
