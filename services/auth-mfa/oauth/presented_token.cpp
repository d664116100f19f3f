#include "oauth/presented_token.hpp"

#include "domain/oauth_errors.hpp"
#include "pg/database.hpp"

namespace auth_mfa::oauth {

std::string require_token(http::Form const& form)
{
    auto const token = http::find(form, "token");
    if (token.empty()) throw invalid_request("token: is required");
    return std::string(token);
}

asio::awaitable<std::optional<LiveRefreshToken>> find_live_refresh_token(
    http::Request const& req, Deps& deps, std::string_view text)
{
    auto const token = deps.tokens.read_refresh_token(req.scope(), text);
    if (!token) co_return std::nullopt;
    auto session = co_await deps.db.read(req.scope(), [&](pg::Tx& tx) {
        return sessions::find_live(tx, req.scope(), token->session_id, deps.clock.now());
    });
    if (!session) co_return std::nullopt;
    co_return LiveRefreshToken{*token, *std::move(session)};
}

} // namespace auth_mfa::oauth
