#pragma once

#include "core/clock.hpp"
#include "crypto/jwt.hpp"
#include "domain/settings.hpp"

#include <optional>
#include <span>
#include <string>

namespace auth_mfa {

/// Who an identity provider says somebody is.
struct ExternalIdentity {
    std::string issuer;
    std::string subject;              ///< UTF-8 without U+0000, 1 to 255 bytes
    std::optional<std::string> email; ///< absent also when the provider says that it was not verified
};

/// An id token's word, good once a key of `provider` has signed it.
struct ClaimedIdentity {
    IdentityProvider const* provider = nullptr; ///< one of those that were asked about
    ExternalIdentity identity;
};

/// Reads all of an id token but its signature (OpenID Connect Core 1.0, 3.1.3.7): issuer and audience of one
/// of `providers`, a key's id, 30 s of clock skew. nullopt when it is refused.
std::optional<ClaimedIdentity> read_identity(
    crypto::Jws const& jws, std::span<IdentityProvider const> providers, core::Time now);

} // namespace auth_mfa
