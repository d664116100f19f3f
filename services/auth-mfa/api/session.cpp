#include "api/session.hpp"

#include "api/json.hpp"
#include "storage/users.hpp"

#include <algorithm>

namespace auth_mfa {

namespace {

constexpr std::size_t max_user_agent = 255;

core::Error session_ended()
{
    return core::Error(core::codes::unauthorized, "The session has ended. Sign in again.")
        .header("WWW-Authenticate", "Bearer error=\"invalid_token\"");
}

core::Uuid caller_id(http::Request const& req)
{
    auto const id = core::Uuid::parse(req.caller().id);
    if (!id) throw session_ended();
    return *id;
}

} // namespace

http::Response answer_tokens(http::Request const& req, Deps const& deps, Granted const& granted)
{
    core::Scope const& scope = req.scope();
    core::JsonWriter w(1536);
    w.begin_object()
        .member("accessToken", deps.tokens.access_token(scope, granted.grant))
        .member(
            "refreshToken", deps.tokens.refresh_token(scope, granted.grant.session_id, granted.generation))
        .member("expiresIn", access_token_lifetime.count());
    if (granted.user != nullptr) write(w.key("user"), *granted.user);
    w.end_object();
    return http::Response{.status = granted.status, .body = std::move(w).str()}.header(
        "Cache-Control", "no-store");
}

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
    auto const opened = co_await deps.hot.open.run(row);
    if (opened != sessions::Opened::yes) throw sign_in.outdated();
    co_return answer_tokens(req, deps,
        {.grant = {user.id, user.email, user.role, row.id, row.amr},
            .status = sign_in.status,
            .user = sign_in.with_user ? &user : nullptr});
}

User signed_in_user(pg::Tx& tx, http::Request const& req, Deps const& deps)
{
    auto user = users::find_signed_in(tx, req.scope(), caller_id(req), session_of(req), deps.clock.now());
    if (!user) throw session_ended();
    return *std::move(user);
}

User lock_signed_in_user(pg::Tx& tx, http::Request const& req, Deps const& deps)
{
    auto user = users::lock_signed_in(tx, req.scope(), caller_id(req), session_of(req), deps.clock.now());
    if (!user) throw session_ended();
    return *std::move(user);
}

core::Access require_role(pg::Tx& tx, http::Request const& req, Deps const& deps, core::Access allowed)
{
    if (!req.caller().is_jwt()) return req.caller().kind;
    core::Access const today = access_of(signed_in_user(tx, req, deps).role);
    if (!core::allows(allowed, today))
        throw core::Error(core::codes::forbidden, "Your current role does not permit this request. Ask an "
                                                  "owner of the tenant to change your role.");
    return today;
}

core::Uuid session_of(http::Request const& req)
{
    auto const id = core::Uuid::parse(req.caller().session_id);
    if (!id) throw session_ended();
    return *id;
}

std::string user_agent(http::Request const& req)
{
    std::string text(req.header("User-Agent").value_or("").substr(0, max_user_agent));
    std::erase_if(text, [](char c) { return c < ' ' || c > '~'; });
    return text;
}

} // namespace auth_mfa
