#pragma once

#include "core/clock.hpp"
#include "crypto/jwt.hpp"
#include "domain/settings.hpp"

#include <optional>
#include <span>
#include <string>

namespace auth_mfa {

/// An identity as an identity provider states it.
struct ExternalIdentity {
    std::string issuer;
    std::string subject;              ///< UTF-8 without U+0000, 1 to 255 bytes
    std::optional<std::string> email; ///< absent if missing, malformed or marked as unverified
};

/// The identity in an id token. Trust the identity only after the token's signature was verified with a key
/// of `provider`.
struct ClaimedIdentity {
    IdentityProvider const* provider = nullptr; ///< an element of the `providers` passed in
    ExternalIdentity identity;
};

/// Reads and checks an id token, except its signature (OpenID Connect Core 1.0, 3.1.3.7). The token must
/// contain a key id, and the issuer and audience of one of `providers`. It must be valid at `now`, with 30 s
/// of clock skew. nullopt when the token is refused.
std::optional<ClaimedIdentity> validate_id_token_claims(
    crypto::Jws const& jws, std::span<IdentityProvider const> providers, core::Time now);

} // namespace auth_mfa
