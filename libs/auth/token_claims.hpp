#pragma once

#include "core/clock.hpp"
#include "core/scope.hpp"

#include <boost/json/object.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

/// Rules that the issuer and the verifiers of user tokens share.
///
/// A token is a JWT access token (RFC 9068) signed with ES256. Its issuer is the tenant's URL at the
/// authentication service, `https://{slug}[-sandbox].<issuer host>`. So a token names its tenant and
/// environment twice: in `iss`, and in `tenant` and `env`. A token is refused if the two differ. The audience
/// is the same for all services, so each service accepts each access token. An ID token of OpenID Connect is
/// refused, because its audience is a client.
namespace auth::token {

inline constexpr std::string_view type = "at+jwt";
inline constexpr std::string_view audience = "tetrad";
/// The audience of tokens that only enrol a second factor. Only auth-mfa accepts them (UserTokensOptions).
inline constexpr std::string_view enrolment_audience = "mfa-enrollment";
/// The `typ` of a token that asks a service to erase one user, the token's `sub`. Its audience is the
/// service.
inline constexpr std::string_view erasure_type = "erasure+jwt";
/// The longest lifetime of an erasure token that is accepted.
inline constexpr std::chrono::seconds max_erasure_lifetime{300};
inline constexpr std::chrono::seconds skew{30};

/// A tenant's host: `demo-sandbox.auth.example.com`.
std::string authority(std::string_view issuer_host, std::string_view slug, core::Environment env);

/// Whether `host`, with or without a port, is `localhost` or a subdomain of it. For such hosts plain HTTP is
/// allowed, so that a local run needs no certificate.
bool is_local(std::string_view host) noexcept;

/// Whether `iss` is the issuer of the scope's tokens: `https://` and `authority(issuer_host, slug, env)`. If
/// `issuer_host` is `localhost` or a subdomain of it, `http` and any port are accepted as well, so that a
/// local run works without certificates.
bool is_issuer(std::string_view iss, std::string_view issuer_host, std::string_view slug,
    core::Environment env) noexcept;

/// The NumericDate claim `name` (RFC 7519, section 2), which may have a fraction. nullopt when it is absent
/// or not a time before the year 10000.
std::optional<core::Time> time_claim(boost::json::object const& claims, std::string_view name);

/// Whether a token with these claims is valid at `now`, with a tolerance of `skew`: `exp` and `iat` are
/// required, `nbf` is checked if it is present.
bool is_timely(boost::json::object const& claims, core::Time now);

} // namespace auth::token
