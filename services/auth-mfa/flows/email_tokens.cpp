#include "flows/email_tokens.hpp"

#include "domain/errors.hpp"
#include "flows/account_events.hpp"
#include "pg/database.hpp"
#include "storage/email_tokens.hpp"
#include "storage/users.hpp"
#include "tokens/email_tokens.hpp"

namespace auth_mfa {

std::string read_token(core::Fields& fields)
{
    return fields.text("token", 1, 128);
}

std::string parse_token(http::Request const& req)
{
    core::Fields f(req.json());
    std::string token = read_token(f);
    f.check();
    return token;
}

asio::awaitable<EmailToken> require_token(
    http::Request const& req, Deps& deps, std::string const& token, TokenPurpose purpose)
{
    auto const hash = EmailTokens::hash(token);
    auto found = co_await deps.db.read(req.scope(),
        [&](pg::Tx& tx) { return email_tokens::find(tx, req.scope(), hash, purpose, deps.clock.now()); });
    if (!found) throw token_expired();
    co_return *std::move(found);
}

User use_token(pg::Tx& tx, http::Request const& req, EmailToken const& token)
{
    begin_account_change(tx, req);
    auto user = users::lock(tx, req.scope(), token.user_id);
    if (!user || !email_tokens::use(tx, req.scope(), token)) throw token_expired();
    if (token.credentials_version && *token.credentials_version != user->credentials_version)
        throw token_expired();
    return *std::move(user);
}

} // namespace auth_mfa
