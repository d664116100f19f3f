#include "flows/id_token_hints.hpp"

#include "core/json.hpp"
#include "crypto/jwt.hpp"
#include "tokens/tokens.hpp"

namespace auth_mfa {

namespace {

namespace json = boost::json;

/// Only id tokens have this `typ`. Access tokens and logout tokens have others.
constexpr std::string_view id_token_type = "JWT";

/// Whether one of the published keys has signed the token.
bool is_signed(crypto::Jws const& jws, std::string const& published)
{
    auto const keys = crypto::parse_foreign_jwk_set(published);
    auto const* const key = keys.find(jws.kid());
    return key != nullptr && crypto::verify(*key, jws);
}

std::optional<IdTokenHint> hint_of(json::object const& claims)
{
    auto const user_id = core::Uuid::parse(core::text_of(claims, "sub"));
    auto const session_id = core::Uuid::parse(core::text_of(claims, "sid"));
    std::string client_id(core::text_of(claims, "aud"));
    if (!user_id || !session_id || client_id.empty()) return std::nullopt;
    return IdTokenHint{
        .client_id = std::move(client_id), .user_id = UserId(*user_id), .session_id = *session_id};
}

} // namespace

asio::awaitable<std::optional<IdTokenHint>> read_id_token_hint(
    http::Request const& req, Deps& deps, std::string_view token)
{
    if (token.size() > max_id_token_hint) co_return std::nullopt;
    auto const jws = crypto::parse_jws(token);
    if (!jws || core::text_of(jws->header, "typ") != id_token_type ||
        core::text_of(jws->payload, "iss") != deps.tokens.issuer().of(req.scope()))
        co_return std::nullopt;
    co_await deps.tokens.ready();
    if (!is_signed(*jws, deps.tokens.jwks())) co_return std::nullopt;
    co_return hint_of(jws->payload);
}

} // namespace auth_mfa
