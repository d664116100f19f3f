#include "api/well_known.hpp"

#include "core/json_writer.hpp"
#include "domain/locale.hpp"
#include "domain/oauth_scope.hpp"
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

using Texts = std::vector<std::string>;

/// The members that describe the issuer's tokens. They also apply to the base host, at which no user can sign
/// in.
void add_issuer(core::JsonWriter& w, std::string const& issuer)
{
    static Texts const subjects{"public"}, algorithms{"RS256", "ES256"}, claim_types{"normal"},
        claims{"iss", "sub", "aud", "exp", "iat", "jti", "sid", "tenant", "env", "role", "email",
            "email_verified", "auth_time", "acr", "amr", "nonce", "at_hash", "updated_at", "client_id",
            "scope"};
    w.member("issuer", issuer)
        .member("jwks_uri", issuer + "/.well-known/jwks.json")
        .member("subject_types_supported", subjects)
        .member("id_token_signing_alg_values_supported", algorithms)
        .member("claim_types_supported", claim_types)
        .member("claims_supported", claims);
}

/// The methods of client authentication of an endpoint, with their algorithms.
void add_authentication(core::JsonWriter& w, std::string const& endpoint, bool also_public)
{
    static Texts const algorithms{"RS256", "ES256"},
        confidential{"client_secret_basic", "client_secret_post", "private_key_jwt"},
        all{"client_secret_basic", "client_secret_post", "private_key_jwt", "none"};
    w.member(endpoint + "_auth_methods_supported", also_public ? all : confidential)
        .member(endpoint + "_auth_signing_alg_values_supported", algorithms);
}

/// The endpoints of a tenant's environment and their features (OpenID Connect Discovery 1.0, 3; RFC 8414, 2;
/// RFC 9126, 5; RFC 9207, 3; the logout specifications of OpenID Connect).
void add_endpoints(core::JsonWriter& w, std::string const& issuer)
{
    static Texts const scopes(known_scopes.begin(), known_scopes.end()),
        languages(page_locales.begin(), page_locales.end()), modes{"query"}, challenges{"S256"},
        grants{"authorization_code", "refresh_token"}, classes{"aal1", "aal2"},
        prompts{"none", "login", "consent", "select_account"};
    w.member("authorization_endpoint", issuer + "/oauth/authorize")
        .member("pushed_authorization_request_endpoint", issuer + "/oauth/par")
        .member("token_endpoint", issuer + "/oauth/token")
        .member("revocation_endpoint", issuer + "/oauth/revoke")
        .member("introspection_endpoint", issuer + "/oauth/introspect")
        .member("userinfo_endpoint", issuer + "/oauth/userinfo")
        .member("end_session_endpoint", issuer + "/oauth/logout")
        .member("scopes_supported", scopes)
        .member("response_modes_supported", modes)
        .member("grant_types_supported", grants)
        .member("acr_values_supported", classes)
        .member("code_challenge_methods_supported", challenges)
        .member("prompt_values_supported", prompts)
        .member("ui_locales_supported", languages);
    add_authentication(w, "token_endpoint", true);
    add_authentication(w, "revocation_endpoint", true);
    add_authentication(w, "introspection_endpoint", false);
    w.member("authorization_response_iss_parameter_supported", true)
        .member("backchannel_logout_supported", true)
        .member("backchannel_logout_session_supported", true)
        .member("require_pushed_authorization_requests", false)
        .member("claims_parameter_supported", false)
        .member("request_parameter_supported", false)
        .member("request_uri_parameter_supported", false);
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
    auto const scope = co_await scope_of_host(req, deps);
    auto const& issuer = deps.tokens.issuer();
    core::JsonWriter w(4096);
    w.begin_object();
    add_issuer(w, scope ? issuer.of(*scope) : issuer.base());
    if (scope) add_endpoints(w, issuer.of(*scope));
    w.member("response_types_supported", scope ? Texts{"code"} : Texts{}).end_object();
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
