#pragma once

#include "core/clock.hpp"
#include "crypto/jwt.hpp"

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>

/// The JWT with which a client authenticates (RFC 7523; OpenID Connect Core 1.0, 9: `private_key_jwt`).
namespace auth_mfa {

/// The value of `client_assertion_type` (RFC 7523, 2.2).
inline constexpr std::string_view assertion_type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/// How far ahead the claim `exp` may be, because used assertions are remembered until then.
inline constexpr std::chrono::minutes max_assertion_lifetime{10};

struct ClientAssertion {
    std::string client_id;
    std::string id; ///< the claim `jti`, 1 to 255 bytes
    core::Time expires_at;
};

/// Reads and checks an assertion, except its signature. `iss` and `sub` must be the same client. Every `aud`
/// must be one of `audiences`, so an assertion for another server is refused. It must be valid at `now`, with
/// 30 s of clock skew. nullopt when it is refused.
std::optional<ClientAssertion> read_client_assertion(
    crypto::Jws const& jws, std::span<std::string const> audiences, core::Time now);

/// Whether one of the client's keys (a JWK set, JSON) verifies the signature: the key that the header names,
/// or any key if it names none.
bool is_signed_by(crypto::Jws const& jws, std::string_view jwks);

} // namespace auth_mfa
