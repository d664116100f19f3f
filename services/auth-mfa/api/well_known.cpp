#include "api/well_known.hpp"

#include "core/json_writer.hpp"
#include "tenancy/directory.hpp"
#include "tenancy/resolve.hpp"
#include "tokens/tokens.hpp"

namespace auth_mfa {

namespace {

/// The time is shorter than the default SIGNING_KEY_OVERLAP_SECONDS, so that verifiers fetch a new key before
/// the key signs.
constexpr char const* cacheable = "public, max-age=300";

/// The scope that the host names; nullopt if the host names no tenant, like the base host.
asio::awaitable<std::optional<core::Scope>> scope_of_host(http::Request const& req, Deps& deps)
{
    auto const named = tenancy::resolve(req.headers, deps.hosts);
    if (named.kind == tenancy::Resolution::Kind::nothing) co_return std::nullopt;
    auto const tenant = co_await deps.directory.get(named.slug);
    co_return tenant->scope(named.environment.value_or(core::Environment::production));
}

http::Response document(std::string json)
{
    return http::Response::ok(std::move(json)).header("Cache-Control", cacheable);
}

} // namespace

asio::awaitable<http::Response> get_jwks(http::Request const& req, Deps& deps)
{
    co_await scope_of_host(req, deps);
    co_await deps.tokens.ready();
    co_return document(deps.tokens.jwks());
}

asio::awaitable<http::Response> get_discovery(http::Request const& req, Deps& deps)
{
    static std::vector<std::string> const none, subjects{"public"}, algorithms{"ES256"},
        claims{"iss", "sub", "aud", "exp", "iat", "jti", "sid", "tenant", "env", "role", "email",
            "email_verified", "auth_time", "acr", "amr"};
    auto const scope = co_await scope_of_host(req, deps);
    auto const& issuer = deps.tokens.issuer();
    std::string const own = scope ? issuer.of(*scope) : issuer.base();
    core::JsonWriter w;
    w.begin_object()
        .member("issuer", own)
        .member("jwks_uri", own + "/.well-known/jwks.json")
        .member("response_types_supported", none)
        .member("subject_types_supported", subjects)
        .member("id_token_signing_alg_values_supported", algorithms)
        .member("claims_supported", claims)
        .end_object();
    co_return document(std::move(w).str());
}

asio::awaitable<http::Response> get_passkey_origins(http::Request const& req, Deps& deps)
{
    auto const tenant = co_await deps.directory.get(req.scope().slug);
    core::JsonWriter w;
    w.begin_object()
        .member("origins", tenant->settings(req.scope().environment()).allowed_origins)
        .end_object();
    co_return document(std::move(w).str());
}

} // namespace auth_mfa
