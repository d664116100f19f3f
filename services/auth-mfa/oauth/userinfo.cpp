#include "oauth/userinfo.hpp"

#include "core/json_writer.hpp"
#include "domain/oauth_errors.hpp"
#include "domain/oauth_scope.hpp"
#include "flows/access_tokens.hpp"
#include "flows/signed_in_user.hpp"
#include "oauth/form.hpp"

namespace auth_mfa::oauth {

namespace {

/// The session of the access token, and what the token permits.
struct Permitted {
    sessions::TokenContents session;
    std::string client_id; ///< empty: a token of the app itself, which permits everything
    std::string scope;

    bool allows(std::string_view name) const { return client_id.empty() || has_scope(scope, name); }
};

core::Error no_token()
{
    return core::Error(core::codes::unauthorized,
        "An access token is required. Send it as Authorization: Bearer ..., or as the parameter access_token "
        "of a form.")
        .header("WWW-Authenticate", "Bearer");
}

core::Error insufficient_scope()
{
    return core::Error(codes::insufficient_scope, "The access token needs the scope openid.")
        .header("WWW-Authenticate", R"(Bearer error="insufficient_scope", scope="openid")");
}

/// The token in the body of the request (RFC 6750, 2.2); empty if there is none.
std::string token_in_body(http::Request const& req)
{
    if (req.body.empty() || !http::is_form(req)) return {};
    return std::string(http::find(read_form(req), "access_token"));
}

asio::awaitable<Permitted> permitted(http::Request const& req, Deps& deps)
{
    auto const in_body = token_in_body(req);
    bool const in_header = req.caller().kind != core::Access::anonymous;
    if (in_header && !in_body.empty())
        throw invalid_request(
            "The access token must be in the header Authorization or in the body, not both.");
    if (!in_header && in_body.empty()) throw no_token();
    if (in_header) {
        auto const& caller = req.caller();
        auto session = co_await live_session(req, deps, caller.session_id, caller.id);
        if (!session) throw session_ended();
        co_return Permitted{*std::move(session), caller.client_id, caller.scope};
    }
    auto live = co_await find_live_token(req, deps, in_body);
    if (!live) throw session_ended();
    co_return Permitted{std::move(live->session), live->token->client_id, live->token->scope};
}

} // namespace

asio::awaitable<http::Response> get_userinfo(http::Request const& req, Deps& deps)
{
    auto const token = co_await permitted(req, deps);
    if (!token.allows("openid")) throw insufficient_scope();
    auto const& session = token.session;
    core::JsonWriter w(256);
    w.begin_object().member("sub", session.user_id.to_string());
    if (token.allows("email"))
        w.member("email", session.email).member("email_verified", session.email_verified);
    if (token.allows("profile")) w.member("updated_at", core::unix_seconds(session.user_updated_at));
    w.end_object();
    co_return http::Response::ok(std::move(w).str()).header("Cache-Control", "no-store");
}

} // namespace auth_mfa::oauth
