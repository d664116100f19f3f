#include "redis/quota.hpp"

#include "core/id.hpp"

#include <utility>

namespace redis {

namespace {

/// The key is a sorted set of the uses by their times in microseconds. Expiry only keeps house: it is what
/// the caller says of the time that decides.
constexpr char const* take_script = R"lua(
local key, now, id = KEYS[1], tonumber(ARGV[1]), ARGV[2]
local function edge(window) return string.format('(%.0f', now - window) end

local longest, wait = 0, 0
for i = 3, #ARGV, 2 do
    local count, window = tonumber(ARGV[i]), tonumber(ARGV[i + 1])
    longest = math.max(longest, window)
    local used = redis.call('ZCOUNT', key, edge(window), '+inf')
    if used >= count then
        local leaves = redis.call('ZRANGEBYSCORE', key, edge(window), '+inf', 'WITHSCORES',
            'LIMIT', used - count, 1)
        wait = math.max(wait, leaves[2] and tonumber(leaves[2]) + window - now or window)
    end
end
if wait > 0 then return {0, wait} end
redis.call('ZREMRANGEBYSCORE', key, '-inf', string.format('%.0f', now - longest))
redis.call('ZADD', key, string.format('%.0f', now), id)
redis.call('PEXPIRE', key, math.ceil(longest / 1000) + 60000)
return {1, 0}
)lua";

std::string microseconds(std::chrono::microseconds time)
{
    return std::to_string(time.count());
}

} // namespace

Quota::Quota(Client& client, std::string prefix)
    : client_(client), prefix_(std::move(prefix)), take_(take_script)
{
}

std::string Quota::key(std::string_view subject, std::string_view name) const
{
    std::string key = prefix_ + ":{";
    key.append(subject).append("}:").append(name);
    return key;
}

asio::awaitable<Use> Quota::take(
    std::string_view subject, std::string_view name, std::span<Limit const> limits, core::Time now)
{
    auto const key_name = key(subject, name);
    auto id = core::Uuid::v7().to_string();
    std::vector<std::string> texts{microseconds(now.time_since_epoch()), id};
    for (auto const& limit : limits) {
        texts.push_back(std::to_string(limit.count));
        texts.push_back(microseconds(limit.window));
    }
    std::vector<std::string_view> const keys{key_name};
    std::vector<std::string_view> const args(texts.begin(), texts.end());
    auto const reply = co_await client_.eval(take_, keys, args);
    auto const& fields = reply.array();
    if (fields.at(0).integer() == 1) co_return Use{.allowed = true, .id = std::move(id)};
    co_return Use{.retry_after = std::chrono::ceil<std::chrono::milliseconds>(
                      std::chrono::microseconds(fields.at(1).integer()))};
}

asio::awaitable<void> Quota::give_back(std::string_view subject, std::string_view name, Use const& use)
{
    auto const key_name = key(subject, name);
    std::vector<std::string_view> const command{"ZREM", key_name, use.id};
    try {
        co_await client_.command(command);
    } catch (Unavailable const&) { // NOLINT(bugprone-empty-catch): it stays counted
    }
}

} // namespace redis
