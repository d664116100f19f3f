#pragma once

#include "core/scope.hpp"
#include "domain/user_id.hpp"
#include "redis/client.hpp"
#include "state/keyed_hash.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace auth_mfa {

namespace asio = boost::asio;

/// The challenges of passkeys in Redis. A challenge belongs to one scope, is used once, and ends 5 minutes
/// after its creation. Redis stores only keyed hashes: neither the challenge nor an id of a user. All
/// functions throw redis::Unavailable if Redis cannot be used.
class PasskeyChallenges {
public:
    /// Both arguments must outlive this object.
    PasskeyChallenges(redis::Client& client, KeyedHash const& hash);

    /// The user and the session that may register a passkey with a challenge.
    struct Registrant {
        UserId user_id;
        std::string session_id; ///< of the session or of the enrolment token (core::Caller::session_id)
    };

    /// A new challenge of `webauthn::challenge_bytes` random bytes. It is for the registration of a passkey
    /// by `registrant` or, if that is nullopt, for the proof of any user.
    asio::awaitable<std::string> create(
        core::Scope const& scope, std::optional<Registrant> const& registrant = std::nullopt);

    /// Uses the challenge up. Throws MFA_CHALLENGE_EXPIRED if it is unknown, expired or used, or was created
    /// in another scope, for another registrant or for the other purpose. Only one of several callers
    /// succeeds.
    asio::awaitable<void> use(core::Scope const& scope, std::string_view challenge,
        std::optional<Registrant> const& registrant = std::nullopt);

    /// The prefix of the scope's keys in Redis. The erasure of a tenant uses it.
    static std::string prefix(core::Scope const& scope);

private:
    redis::Client& client_;
    KeyedHash const& hash_;
    redis::Script const create_, use_;
};

} // namespace auth_mfa
