#include "state/passkey_challenges.hpp"

#include "crypto/random.hpp"
#include "domain/errors.hpp"
#include "domain/webauthn.hpp"
#include "state/times.hpp"

#include <algorithm>

namespace auth_mfa {

namespace {

/// ARGV: the time, the expiry (ms), and the challenge's use.
constexpr char const* create_script = R"lua(
redis.call('HSET', KEYS[1], 'created', string.format('%.0f', now), 'use', ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1
)lua";

/// Deletes the challenge, and returns its use or nil. ARGV: the time, the lifetime.
constexpr char const* use_script = R"lua(
local f = redis.call('HMGET', KEYS[1], 'created', 'use')
redis.call('DEL', KEYS[1])
if not f[1] or now - tonumber(f[1]) > tonumber(ARGV[2]) then return false end
return f[2]
)lua";

/// The use of a challenge that is not for a registration.
constexpr char const* proof = "proof";

/// The use of a challenge under each key of `hash`. It contains no id of the user.
std::vector<std::string> uses_of(KeyedHash const& hash, core::Scope const& scope,
    std::optional<PasskeyChallenges::Registrant> const& registrant)
{
    if (!registrant) return {proof};
    return hash.under_each({"passkey registrant", core::to_string(scope.id), registrant->user_id.to_string(),
        registrant->session_id});
}

} // namespace

PasskeyChallenges::PasskeyChallenges(redis::Client& client, KeyedHash const& hash)
    : client_(client), hash_(hash), create_(timed(create_script)), use_(timed(use_script))
{
}

std::string PasskeyChallenges::prefix(core::Scope const& scope)
{
    return "auth-mfa:passkey:{" + core::to_string(scope.id) + ':';
}

asio::awaitable<std::string> PasskeyChallenges::create(
    core::Scope const& scope, std::optional<Registrant> const& registrant)
{
    auto challenge = crypto::random_bytes(webauthn::challenge_bytes);
    auto const key = prefix(scope) + hash_({"passkey challenge", core::to_string(scope.id), challenge}) + '}';
    auto const use = uses_of(hash_, scope, registrant).front();
    auto const time = client_.script_time();
    auto const expiry = expiry_of(webauthn::ceremony_timeout);
    std::vector<std::string_view> const keys{key};
    std::vector<std::string_view> const args{time, expiry, use};
    co_await client_.eval(create_, keys, args);
    co_return challenge;
}

asio::awaitable<void> PasskeyChallenges::use(
    core::Scope const& scope, std::string_view challenge, std::optional<Registrant> const& registrant)
{
    auto const time = client_.script_time();
    auto const lifetime = microseconds(webauthn::ceremony_timeout);
    auto const wanted = uses_of(hash_, scope, registrant);
    for (auto const& hash : hash_.under_each({"passkey challenge", core::to_string(scope.id), challenge})) {
        auto const key = prefix(scope) + hash + '}';
        std::vector<std::string_view> const keys{key};
        std::vector<std::string_view> const args{time, lifetime};
        auto const stored = co_await client_.eval(use_, keys, args);
        if (stored.is_nil()) continue;
        if (std::ranges::find(wanted, stored.text()) == wanted.end()) break;
        co_return;
    }
    throw challenge_expired();
}

} // namespace auth_mfa
