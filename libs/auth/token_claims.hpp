#pragma once

#include "core/identity.hpp"

#include <chrono>
#include <string>
#include <string_view>

/// What issuer and verifiers of user tokens agree on, in one place.
///
/// A token is a JWT access token (RFC 9068) signed with ES256. Its issuer is the tenant's own address at the
/// authentication service, `https://{slug}[-sandbox].<issuer host>`, so that a token names its tenant and
/// environment twice
/// (`iss`, and `tenant` with `env`) and both must agree. Its audience is one constant: every service of the
/// platform accepts every access token of the tenant, while an OpenID id token (whose audience is a client)
/// is never one.
namespace auth::token {

inline constexpr std::string_view algorithm = "ES256";
inline constexpr std::string_view type = "at+jwt";
inline constexpr std::string_view audience = "tetrad";
inline constexpr std::chrono::seconds skew{30};

/// A tenant's host: `demo-sandbox.auth.example.com`.
std::string authority(std::string_view issuer_host, std::string_view slug, core::Environment env);

/// The issuer of a scope's tokens: `https://demo-sandbox.auth.example.com`.
std::string issuer(std::string_view issuer_host, std::string_view slug, core::Environment env);

/// Whether a host, with or without a port, is `localhost` or below it, where certificates are not asked for.
bool is_local(std::string_view host) noexcept;

/// Whether `iss` is that issuer. With an issuer host of `localhost` or below it, `http` and any port are
/// accepted too, so that a local run works without certificates.
bool is_issuer(std::string_view iss, std::string_view issuer_host, std::string_view slug,
    core::Environment env) noexcept;

} // namespace auth::token
