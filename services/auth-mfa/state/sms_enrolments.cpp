#include "state/sms_enrolments.hpp"

#include "domain/limits.hpp"
#include "state/times.hpp"

namespace auth_mfa {

namespace {

/// ARGV: the time, phone, the code's hash, expiry (ms).
constexpr char const* put_script = R"lua(
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], 'phone', ARGV[2], 'code', ARGV[3], 'created', string.format('%.0f', now), 'attempts', 0)
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return 1
)lua";

/// ARGV: the time, lifetime, attempts allowed, the code's hash under each key.
constexpr char const* try_code_script = R"lua(
local key, lifetime, allowed = KEYS[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local f = redis.call('HMGET', key, 'created', 'attempts', 'code', 'phone')
if not f[1] or now - tonumber(f[1]) > lifetime then return {'absent'} end
if tonumber(f[2]) >= allowed then return {'limited'} end
local attempts = redis.call('HINCRBY', key, 'attempts', 1)
for i = 4, #ARGV do
    if f[3] == ARGV[i] then
        redis.call('DEL', key)
        return {'right', f[4]}
    end
end
return {'wrong', allowed - attempts}
)lua";

std::string key(core::Scope const& scope, UserId user_id)
{
    return SmsEnrolments::prefix(scope) + user_id.to_string() + '}';
}

} // namespace

SmsEnrolments::SmsEnrolments(redis::Client& client, KeyedHash const& hash)
    : client_(client), hash_(hash), put_(timed(put_script)), try_code_(timed(try_code_script))
{
}

std::string SmsEnrolments::prefix(core::Scope const& scope)
{
    return "auth-mfa:enrolment:{" + core::to_string(scope.id) + ':';
}

asio::awaitable<void> SmsEnrolments::put(
    core::Scope const& scope, UserId user_id, sms::PhoneNumber const& phone, std::string_view code)
{
    auto const name = key(scope, user_id);
    auto const hash = hash_({"enrolment code", core::to_string(scope.id), user_id.to_string(), code});
    auto const time = client_.script_time();
    auto const expiry = expiry_of(sms_enrolment_lifetime);
    std::vector<std::string_view> const keys{name};
    std::vector<std::string_view> const args{time, phone.text(), hash, expiry};
    co_await client_.eval(put_, keys, args);
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
        co_return Attempt{.verdict = Verdict::right, .phone = sms::PhoneNumber::parse(fields.at(1).text())};
    co_return Attempt{};
}

} // namespace auth_mfa
