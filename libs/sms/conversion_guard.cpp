#include "sms/conversion_guard.hpp"

#include "redis/times.hpp"

#include <chrono>
#include <utility>
#include <vector>

namespace sms {

namespace {

/// The hash contains the day that its counts belong to and, for each calling code, `<code>:sent`,
/// `<code>:confirmed` and `<code>:refused`. ARGV: the time, the calling code, min_sent, min_percent. Returns
/// whether the code is allowed, whether a refusal is the first, the counts, and the day in days since 1970.
constexpr char const* take_script = R"lua(
local key, code = KEYS[1], ARGV[2]
local day_length = 86400000000
local today = math.floor(now / day_length)
if tonumber(redis.call('HGET', key, 'day')) ~= today then
    redis.call('DEL', key)
    redis.call('HSET', key, 'day', today)
end
redis.call('PEXPIRE', key, math.ceil(((today + 1) * day_length - now) / 1000) + 60000)
local counts = redis.call('HMGET', key, code .. ':sent', code .. ':confirmed')
local sent, confirmed = tonumber(counts[1]) or 0, tonumber(counts[2]) or 0
if sent >= tonumber(ARGV[3]) and confirmed * 100 < sent * tonumber(ARGV[4]) then
    return {0, redis.call('HSETNX', key, code .. ':refused', 1), sent, confirmed, today}
end
return {1, 0, redis.call('HINCRBY', key, code .. ':sent', 1), confirmed, today}
)lua";

/// ARGV: the day, the calling code, the change. Changes are: `unsent`, `confirmed` and `unrefused`.
constexpr char const* change_script = R"lua(
local key, code, change = KEYS[1], ARGV[2], ARGV[3]
if redis.call('HGET', key, 'day') ~= ARGV[1] then return 0 end
local counts = redis.call('HMGET', key, code .. ':sent', code .. ':confirmed')
local sent, confirmed = tonumber(counts[1]) or 0, tonumber(counts[2]) or 0
if change == 'unrefused' then
    redis.call('HDEL', key, code .. ':refused')
elseif change == 'unsent' then
    if sent > 0 then redis.call('HINCRBY', key, code .. ':sent', -1) end
elseif confirmed < sent then
    redis.call('HINCRBY', key, code .. ':confirmed', 1)
end
return 1
)lua";

} // namespace

ConversionGuard::ConversionGuard(redis::Client& client, std::string prefix)
    : client_(client), prefix_(std::move(prefix)), take_(std::string(redis::now_in_lua) + take_script),
      change_(change_script)
{
}

std::string ConversionGuard::key(core::Scope const& scope) const
{
    return prefix_ + ":{" + core::to_string(scope.id) + '}';
}

asio::awaitable<ConversionGuard::Use> ConversionGuard::take(
    core::Scope const& scope, PhoneNumber const& phone)
{
    auto const name = key(scope);
    auto const time = client_.script_time();
    auto const sent = std::to_string(min_sent);
    auto const percent = std::to_string(min_percent);
    std::vector<std::string_view> const keys{name};
    std::vector<std::string_view> const args{time, phone.calling_code(), sent, percent};
    auto const reply = co_await client_.eval(take_, keys, args);
    auto const& fields = reply.array();
    co_return Use{.allowed = fields.at(0).integer() == 1,
        .first = fields.at(1).integer() == 1,
        .sent = fields.at(2).integer(),
        .confirmed = fields.at(3).integer(),
        .day = std::chrono::sys_days(std::chrono::days(fields.at(4).integer()))};
}

asio::awaitable<void> ConversionGuard::give_back(
    core::Scope const& scope, PhoneNumber const& phone, Use const& use)
{
    return change(scope, phone, use.day, "unsent");
}

asio::awaitable<void> ConversionGuard::confirm(
    core::Scope const& scope, PhoneNumber const& phone, std::chrono::sys_days day)
{
    return change(scope, phone, day, "confirmed");
}

asio::awaitable<void> ConversionGuard::forget_refusal(
    core::Scope const& scope, PhoneNumber const& phone, Use const& use)
{
    return change(scope, phone, use.day, "unrefused");
}

asio::awaitable<void> ConversionGuard::change(
    core::Scope const& scope, PhoneNumber const& phone, std::chrono::sys_days day, std::string_view what)
{
    auto const name = key(scope);
    auto const number = std::to_string(day.time_since_epoch().count());
    std::vector<std::string_view> const keys{name};
    std::vector<std::string_view> const args{number, phone.calling_code(), what};
    try {
        co_await client_.eval(change_, keys, args);
    } catch (redis::Unavailable const&) { // NOLINT(bugprone-empty-catch): see the declarations
    }
}

} // namespace sms
