#include "oauth/revoke.hpp"

#include "audit/audit.hpp"
#include "domain/oauth_errors.hpp"
#include "flows/access_tokens.hpp"
#include "flows/client_authentication.hpp"
#include "oauth/form.hpp"
#include "oauth/presented_token.hpp"
#include "pg/database.hpp"

namespace auth_mfa::oauth {

namespace {

/// The live session of a refresh token or access token; nullopt for another text.
asio::awaitable<std::optional<sessions::TokenContents>> session_of(
    http::Request const& req, Deps& deps, std::string_view token)
{
    if (auto refresh = co_await find_live_refresh_token(req, deps, token))
        co_return std::move(refresh->session);
    if (auto access = co_await find_live_token(req, deps, token)) co_return std::move(access->session);
    co_return std::nullopt;
}

void end(pg::Tx& tx, http::Request const& req, Deps const& deps, sessions::TokenContents const& session)
{
    sessions::end(tx, req.scope(), session.session_id, deps.clock.now());
    audit::record(tx, req.scope(),
        {.id = "client:" + session.client_id, .request_id = req.context.request_id},
        {.action = "session.ended",
            .subject_type = "session",
            .subject_id = session.session_id.to_string(),
            .before = {},
            .after = {}});
}

} // namespace

asio::awaitable<http::Response> post_revoke(http::Request const& req, Deps& deps)
{
    auto const form = read_form(req);
    auto const token = require_token(form);
    auto const client = co_await require_client(req, deps, form);
    auto const session = co_await session_of(req, deps, token);
    if (session && session->client_id != client.id)
        throw invalid_grant("The token was issued to another client. Only that client can revoke it.");
    if (session) co_await deps.db.transact(req.scope(), [&](pg::Tx& tx) { end(tx, req, deps, *session); });
    // An invalid token needs no revocation (RFC 7009, 2.2).
    co_return http::Response{.content_type = {}}.header("Cache-Control", "no-store");
}

} // namespace auth_mfa::oauth
