#pragma once

#include "core/clock.hpp"
#include "crypto/jwt.hpp"
#include "domain/identity_provider.hpp"

#include <boost/json/object.hpp>

#include <optional>
#include <span>
#include <string>

namespace auth_mfa {

/// An identity as an identity provider states it.
struct ExternalIdentity {
    std::string issuer;
    std::string subject;              ///< UTF-8 without U+0000, 1 to 255 bytes
    std::optional<std::string> email; ///< absent if missing, malformed or not marked as verified
    std::string provider;             ///< IdentityProvider::key
    core::Time issued_at;
    /// When the provider authenticated the user (`auth_time`); nullopt if the token does not say so.
    std::optional<core::Time> authenticated_at = {};
    /// SHA-256 of the token's signed part, in hex. The signature is left out, because several signatures of
    /// the same part can be valid.
    std::string token_hash;
};

/// The maximum age of an accepted id token.
inline constexpr std::chrono::minutes max_id_token_age{10};

/// The identity in an id token. Trust the identity only after the token's signature was verified with a key
/// of `provider`.
struct ClaimedIdentity {
    IdentityProvider const* provider = nullptr; ///< an element of the `providers` passed in
    ExternalIdentity identity;
};

/// The email in claims of a provider, if it is well-formed and the provider says that it is verified. Some
/// providers write the claim `email_verified` as text.
std::optional<std::string> verified_email_of(boost::json::object const& claims);

/// Reads and checks an id token, except its signature (OpenID Connect Core 1.0, 3.1.3.7). The token must
/// contain a key id, and the issuer and audience of one of `providers`. It must be valid at `now`, with 30 s
/// of clock skew, and have been issued at most `max_id_token_age` ago. If `nonce` is set, the token must
/// contain it. nullopt when the token is refused.
std::optional<ClaimedIdentity> validate_id_token_claims(crypto::Jws const& jws,
    std::span<IdentityProvider const> providers, std::optional<std::string> const& nonce, core::Time now);

} // namespace auth_mfa
