#include "oauth/introspect.hpp"

#include "core/json_writer.hpp"
#include "crypto/jwt.hpp"
#include "domain/oauth_errors.hpp"
#include "flows/access_tokens.hpp"
#include "flows/client_authentication.hpp"
#include "oauth/form.hpp"
#include "oauth/presented_token.hpp"

#include <boost/json/serialize.hpp>

#include <array>

namespace auth_mfa::oauth {

namespace {

/// The claims of an access token that the response repeats.
constexpr auto repeated_claims = std::to_array<std::string_view>({"iss", "sub", "aud", "exp", "iat", "jti",
    "sid", "client_id", "scope", "auth_time", "acr", "amr", "role", "tenant", "env"});

http::Response respond(core::JsonWriter w)
{
    return http::Response::ok(std::move(w).str()).header("Cache-Control", "no-store");
}

http::Response inactive()
{
    core::JsonWriter w;
    w.begin_object().member("active", false).end_object();
    return respond(std::move(w));
}

/// `text` is verified.
http::Response describe_access(std::string_view text, LiveToken const& live)
{
    auto const jws = crypto::parse_jws(text);
    core::JsonWriter w(1024);
    w.begin_object()
        .member("active", true)
        .member("token_type", "Bearer")
        .member("username", live.session.email);
    for (auto const name : repeated_claims)
        if (auto const* const claim = jws->payload.if_contains(name))
            w.key(name).raw(boost::json::serialize(*claim));
    w.end_object();
    return respond(std::move(w));
}

http::Response describe_refresh(
    http::Request const& req, Deps const& deps, sessions::TokenContents const& session)
{
    core::JsonWriter w(512);
    w.begin_object()
        .member("active", true)
        .member("client_id", session.client_id)
        .member("scope", session.scope)
        .member("username", session.email)
        .member("iss", deps.tokens.issuer().of(req.scope()))
        .member("sub", session.user_id.to_string())
        .member("sid", session.session_id.to_string())
        .member("exp", core::unix_seconds(session.expires_at))
        .member("auth_time", core::unix_seconds(session.assurance.authenticated_at))
        .member("acr", session.assurance.aal2 ? "aal2" : "aal1")
        .member("amr", session.amr)
        .end_object();
    return respond(std::move(w));
}

} // namespace

asio::awaitable<http::Response> post_introspect(http::Request const& req, Deps& deps)
{
    auto const form = read_form(req);
    auto const token = require_token(form);
    auto const client = co_await require_client(req, deps, form);
    if (!client.is_confidential())
        throw core::Error(codes::invalid_client, "Only confidential clients can introspect tokens.");
    if (auto const access = co_await find_live_token(req, deps, token))
        co_return describe_access(token, *access);
    auto const refresh = co_await find_live_refresh_token(req, deps, token);
    // Other clients learn nothing about a refresh token, because only its own client can use it.
    bool const valid = refresh && refresh->session.client_id == client.id &&
                       refresh->token.generation == refresh->session.generation;
    co_return valid ? describe_refresh(req, deps, refresh->session) : inactive();
}

} // namespace auth_mfa::oauth
