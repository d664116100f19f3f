#include "flows/access_tokens.hpp"

#include "pg/database.hpp"

namespace auth_mfa {

namespace {

bool is_access_token_of(auth::UserToken const& token, core::Scope const& scope)
{
    return core::allows(core::Access::any_user | core::Access::client, token.access) &&
           token.tenant == scope.slug && token.environment == scope.environment();
}

} // namespace

asio::awaitable<std::optional<sessions::TokenContents>> live_session(
    http::Request const& req, Deps& deps, std::string_view session_id, std::string_view user_id)
{
    auto const id = core::Uuid::parse(session_id);
    if (!id) co_return std::nullopt;
    auto session = co_await deps.db.read(
        req.scope(), [&](pg::Tx& tx) { return sessions::find_live(tx, req.scope(), *id, deps.clock.now()); });
    if (session && session->user_id.to_string() != user_id) co_return std::nullopt;
    co_return session;
}

asio::awaitable<std::optional<LiveToken>> find_live_token(
    http::Request const& req, Deps& deps, std::string_view text)
{
    if (!auth::UserTokens::is_candidate(text)) co_return std::nullopt;
    auto token = co_await deps.user_tokens.verify(text);
    if (!token || !is_access_token_of(*token, req.scope())) co_return std::nullopt;
    auto session = co_await live_session(req, deps, token->session_id, token->subject);
    if (!session) co_return std::nullopt;
    co_return LiveToken{std::move(token), *std::move(session)};
}

} // namespace auth_mfa
