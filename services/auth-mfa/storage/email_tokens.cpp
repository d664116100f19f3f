#include "storage/email_tokens.hpp"

#include "core/text.hpp"
#include "pg/row.hpp"
#include "storage/purge.hpp"

namespace auth_mfa::email_tokens {

namespace {

EmailToken read(pg::RowReader& r)
{
    EmailToken token;
    token.hash = r.text();
    token.purpose = r.one_of<TokenPurpose>();
    token.user_id = UserId(r.uuid());
    token.email = r.text();
    token.was_verified = r.boolean();
    token.credentials_version = r.optional_integer();
    token.created_at = r.time();
    return token;
}

} // namespace

void put(pg::Tx& tx, core::Scope const& scope, EmailToken const& token, core::Time expires_at)
{
    tx.run(R"(
        INSERT INTO email_tokens (
            scope_id, token_hash, purpose, user_id, email, email_key, was_verified, credentials_version,
            created_at, expires_at
        )
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, clock_timestamp(), $9)
        ON CONFLICT (scope_id, token_hash) DO UPDATE SET expires_at = excluded.expires_at)",
        {scope.id, token.hash, to_string(token.purpose), token.user_id, token.email, core::lower(token.email),
            token.was_verified, token.credentials_version, expires_at});
}

std::optional<EmailToken> find(
    pg::Tx& tx, core::Scope const& scope, std::string_view hash, TokenPurpose purpose, core::Time now)
{
    auto const result = tx.run(R"(
        SELECT token_hash, purpose, user_id, email, was_verified, credentials_version, created_at
        FROM email_tokens
        WHERE scope_id = $1 AND token_hash = $2 AND purpose = $3 AND expires_at > $4)",
        {scope.id, hash, to_string(purpose), now});
    return pg::read_first(result, read);
}

bool exists(pg::Tx& tx, core::Scope const& scope, std::string_view hash)
{
    return !tx.run("SELECT FROM email_tokens WHERE scope_id = $1 AND token_hash = $2", {scope.id, hash})
                .empty();
}

bool use(pg::Tx& tx, core::Scope const& scope, EmailToken const& token)
{
    auto const result =
        tx.run("DELETE FROM email_tokens WHERE scope_id = $1 AND token_hash = $2", {scope.id, token.hash});
    return result.affected_rows() == 1;
}

void remove(pg::Tx& tx, core::Scope const& scope, UserId user_id, std::span<TokenPurpose const> purposes)
{
    tx.run("DELETE FROM email_tokens WHERE scope_id = $1 AND user_id = $2 AND purpose = ANY ($3::text[])",
        {scope.id, user_id, pg::column(purposes, [](TokenPurpose p) { return to_string(p); })});
}

void remove_since(pg::Tx& tx, core::Scope const& scope, UserId user_id, core::Time since)
{
    tx.run("DELETE FROM email_tokens WHERE scope_id = $1 AND user_id = $2 AND created_at >= $3",
        {scope.id, user_id, since});
}

std::vector<Stored> list(
    pg::Tx& tx, core::Scope const& scope, UserId user_id, std::string_view after, std::size_t limit)
{
    auto const result = tx.run(R"(
        SELECT token_hash, purpose, user_id, email, was_verified, credentials_version, created_at, expires_at
        FROM email_tokens
        WHERE scope_id = $1 AND user_id = $2 AND token_hash > $3
        ORDER BY token_hash
        LIMIT $4::bigint)",
        {scope.id, user_id, after, limit});
    return pg::read_rows(result, [](pg::RowReader& r) {
        EmailToken token = read(r);
        return Stored{std::move(token), r.time()};
    });
}

std::size_t purge(pg::Tx& tx, std::vector<core::ScopeId> const& scopes, core::Time before, std::size_t limit)
{
    return auth_mfa::purge(tx, {"email_tokens"}, scopes, before, limit);
}

} // namespace auth_mfa::email_tokens
