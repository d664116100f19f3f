#include "state/sms_enrolments.hpp"

#include "domain/limits.hpp"
#include "state/times.hpp"

namespace auth_mfa {

namespace {

/// ARGV: the time, phone, the code's hash, expiry (ms), `fixed` (0 or 1), the day that has counted the
/// message, in days since 1970, or "".
constexpr char const* put_script = R"lua(
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], 'phone', ARGV[2], 'code', ARGV[3], 'created', string.format('%.0f', now), 'attempts', 0,
    'fixed', ARGV[5], 'counted', ARGV[6])
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return 1
)lua";

/// ARGV: the time, lifetime.
constexpr char const* find_script = R"lua(
local f = redis.call('HMGET', KEYS[1], 'created', 'phone')
if not f[1] or now - tonumber(f[1]) > tonumber(ARGV[2]) then return '' end
return f[2]
)lua";

/// ARGV: the time, lifetime, attempts allowed, the code's hash under each key.
constexpr char const* try_code_script = R"lua(
local key, lifetime, allowed = KEYS[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local f = redis.call('HMGET', key, 'created', 'attempts', 'code', 'phone', 'fixed', 'counted')
if not f[1] or now - tonumber(f[1]) > lifetime then return {'absent'} end
if tonumber(f[2]) >= allowed then return {'limited'} end
local attempts = redis.call('HINCRBY', key, 'attempts', 1)
for i = 4, #ARGV do
    if f[3] == ARGV[i] then
        redis.call('DEL', key)
        return {'right', f[4], f[5] or '0', f[6] or ''}
    end
end
return {'wrong', allowed - attempts}
)lua";

std::string key(core::Scope const& scope, UserId user_id)
{
    return SmsEnrolments::prefix(scope) + user_id.to_string() + '}';
}

std::optional<std::chrono::sys_days> day_of(std::string const& text)
{
    if (text.empty()) return std::nullopt;
    return std::chrono::sys_days(std::chrono::days(std::stoi(text)));
}

} // namespace

SmsEnrolments::SmsEnrolments(redis::Client& client, KeyedHash const& hash)
    : client_(client), hash_(hash), put_(timed(put_script)), find_(timed(find_script)),
      try_code_(timed(try_code_script))
{
}

std::string SmsEnrolments::prefix(core::Scope const& scope)
{
    return "auth-mfa:enrolment:{" + core::to_string(scope.id) + ':';
}

asio::awaitable<void> SmsEnrolments::put(core::Scope const& scope, UserId user_id, Sent const& sent)
{
    auto const name = key(scope, user_id);
    auto const hash = hash_({"enrolment code", core::to_string(scope.id), user_id.to_string(), sent.code});
    auto const time = client_.script_time();
    auto const expiry = expiry_of(sms_enrolment_lifetime);
    auto const counted_on =
        sent.counted_on ? std::to_string(sent.counted_on->time_since_epoch().count()) : std::string();
    std::vector<std::string_view> const keys{name};
    std::vector<std::string_view> const args{
        time, sent.phone.text(), hash, expiry, sent.fixed ? "1" : "0", counted_on};
    co_await client_.eval(put_, keys, args);
}

asio::awaitable<std::optional<sms::PhoneNumber>> SmsEnrolments::find(core::Scope const& scope, UserId user_id)
{
    auto const name = key(scope, user_id);
    auto const time = client_.script_time();
    auto const lifetime = microseconds(sms_enrolment_lifetime);
    std::vector<std::string_view> const keys{name};
    std::vector<std::string_view> const args{time, lifetime};
    auto const reply = co_await client_.eval(find_, keys, args);
    co_return sms::PhoneNumber::parse(reply.text());
}

asio::awaitable<SmsEnrolments::Attempt> SmsEnrolments::try_code(
    core::Scope const& scope, UserId user_id, std::string_view code)
{
    using Verdict = Attempt::Verdict;
    auto const name = key(scope, user_id);
    auto const time = client_.script_time();
    auto const lifetime = microseconds(sms_enrolment_lifetime);
    auto const allowed = std::to_string(sms_enrolment_attempts);
    auto const hashes =
        hash_.under_each({"enrolment code", core::to_string(scope.id), user_id.to_string(), code});
    std::vector<std::string_view> const keys{name};
    std::vector<std::string_view> args{time, lifetime, allowed};
    args.insert(args.end(), hashes.begin(), hashes.end());
    auto const reply = co_await client_.eval(try_code_, keys, args);
    auto const& fields = reply.array();
    std::string const& verdict = fields.at(0).text();
    if (verdict == "limited") co_return Attempt{.verdict = Verdict::limited};
    if (verdict == "wrong")
        co_return Attempt{.verdict = Verdict::wrong, .remaining = static_cast<int>(fields.at(1).integer())};
    if (verdict == "right")
        co_return Attempt{.verdict = Verdict::right,
            .phone = sms::PhoneNumber::parse(fields.at(1).text()),
            .fixed = fields.at(2).text() == "1",
            .counted_on = day_of(fields.at(3).text())};
    co_return Attempt{};
}

asio::awaitable<void> SmsEnrolments::remove(core::Scope const& scope, UserId user_id)
{
    auto const name = key(scope, user_id);
    co_await client_.command({"UNLINK", name});
}

} // namespace auth_mfa
