#include "flows/open_session.hpp"

#include "batchers.hpp"
#include "domain/json.hpp"
#include "storage/sessions.hpp"

#include <algorithm>

namespace auth_mfa {

namespace {

constexpr std::size_t max_user_agent = 255;

} // namespace

asio::awaitable<http::Response> open_session(
    http::Request const& req, Deps& deps, User const& user, SignIn const& sign_in)
{
    // Requires a signing key before the session is stored, because no tokens can be issued without one.
    co_await deps.tokens.ready();
    sessions::NewSession const row{.scope_id = req.scope().id,
        .id = core::Uuid::v7(),
        .user_id = user.id,
        .credentials_version = user.credentials_version,
        .amr = {sign_in.amr.begin(), sign_in.amr.end()},
        .now = deps.clock.now(),
        .user_agent = user_agent(req),
        .address = req.remote_address};
    auto const opened = co_await deps.batchers.open.run(row);
    if (opened != sessions::Opened::yes) throw sign_in.outdated();
    co_return respond_with_tokens(req, deps,
        {.claims = {user.id, user.email, user.role, row.id, row.amr},
            .status = sign_in.status,
            .user = sign_in.with_user ? &user : nullptr});
}

http::Response respond_with_tokens(http::Request const& req, Deps const& deps, TokenResponse const& contents)
{
    core::Scope const& scope = req.scope();
    core::JsonWriter w(1536);
    w.begin_object()
        .member("accessToken", deps.tokens.access_token(scope, contents.claims))
        .member(
            "refreshToken", deps.tokens.refresh_token(scope, contents.claims.session_id, contents.generation))
        .member("expiresIn", access_token_lifetime.count());
    if (contents.user != nullptr) write(w.key("user"), *contents.user);
    w.end_object();
    return http::Response{.status = contents.status, .body = std::move(w).str()}.header(
        "Cache-Control", "no-store");
}

std::string user_agent(http::Request const& req)
{
    std::string text(req.header("User-Agent").value_or("").substr(0, max_user_agent));
    std::erase_if(text, [](char c) { return c < ' ' || c > '~'; });
    return text;
}

} // namespace auth_mfa
