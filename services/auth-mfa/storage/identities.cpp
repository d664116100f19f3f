#include "storage/identities.hpp"

#include "auth/token_claims.hpp"
#include "pg/sql.hpp"
#include "storage/purge.hpp"
#include "storage/user_rows.hpp"

namespace auth_mfa::identities {

namespace {

// The id of an identity of an earlier version is derived from its issuer and subject.
constexpr auto id_column = pg::sql("coalesce(i.identity_id, md5(i.issuer || ' ' || i.subject)::uuid)");
constexpr auto columns = pg::sql<id_column>("{id_column}, i.issuer, i.subject, i.email, i.created_at");

LinkedIdentity read(pg::RowReader& r)
{
    LinkedIdentity identity;
    identity.id = r.uuid();
    identity.issuer = r.text();
    identity.subject = r.text();
    identity.email = r.optional_text();
    identity.created_at = r.optional_time();
    return identity;
}

} // namespace

std::optional<User> find_user(
    pg::Tx& tx, core::Scope const& scope, std::string_view issuer, std::string_view subject)
{
    auto const result = tx.run(pg::sql<users::columns>(R"(
        SELECT {columns}
        FROM identities i
        JOIN users u ON u.scope_id = i.scope_id AND u.user_id = i.user_id
        WHERE i.scope_id = $1 AND u.scope_id = $1 AND i.issuer = $2 AND i.subject = $3)"),
        {scope.id, issuer, subject});
    return pg::read_first(result, users::read);
}

std::optional<LinkedIdentity> insert(
    pg::Tx& tx, core::Scope const& scope, ExternalIdentity const& identity, UserId user_id, core::Time now)
{
    auto const result = tx.run(pg::sql<columns>(R"(
        INSERT INTO identities AS i (scope_id, issuer, subject, user_id, identity_id, email, created_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7)
        ON CONFLICT (scope_id, issuer, subject) DO NOTHING
        RETURNING {columns})"),
        {scope.id, identity.issuer, identity.subject, user_id, core::Uuid::v7(), identity.email, now});
    return pg::read_first(result, read);
}

std::vector<LinkedIdentity> list(pg::Tx& tx, core::Scope const& scope, UserId user_id)
{
    auto const result = tx.run(pg::sql<columns>(R"(
        SELECT {columns}
        FROM identities i
        WHERE i.scope_id = $1 AND i.user_id = $2
        ORDER BY i.created_at NULLS FIRST, i.issuer, i.subject)"),
        {scope.id, user_id});
    return pg::read_rows(result, read);
}

std::optional<LinkedIdentity> remove(pg::Tx& tx, core::Scope const& scope, UserId user_id, core::Uuid id)
{
    auto const result = tx.run(pg::sql<id_column, columns>(R"(
        DELETE FROM identities i
        WHERE i.scope_id = $1 AND i.user_id = $2 AND {id} = $3
        RETURNING {columns})"),
        {scope.id, user_id, id});
    return pg::read_first(result, read);
}

void remove_all(pg::Tx& tx, core::Scope const& scope, UserId user_id)
{
    tx.run("DELETE FROM identities WHERE scope_id = $1 AND user_id = $2", {scope.id, user_id});
}

bool use_token(pg::Tx& tx, core::Scope const& scope, ExternalIdentity const& identity)
{
    // The token is refused because of its age before this row is purged.
    auto const kept_until = identity.issued_at + max_id_token_age + 2 * auth::token::skew;
    auto const result = tx.run(R"(
        INSERT INTO used_id_tokens (scope_id, token_hash, expires_at)
        VALUES ($1, $2, $3)
        ON CONFLICT DO NOTHING)",
        {scope.id, identity.token_hash, kept_until});
    return result.affected_rows() == 1;
}

std::size_t purge_tokens(
    pg::Tx& tx, std::vector<core::ScopeId> const& scopes, core::Time before, std::size_t limit)
{
    return auth_mfa::purge(tx, {"used_id_tokens"}, scopes, before, limit);
}

} // namespace auth_mfa::identities
