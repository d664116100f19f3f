#include "storage/logout_notices.hpp"
#include "storage/session_rows.hpp"

namespace auth_mfa::sessions {

namespace {

/// The end of a statement whose CTE `gone` has the ids of sessions, locked in their order. It ends these
/// sessions at $2 in the scope $1, and tells their clients. The result is the number of ended sessions.
constexpr auto end_gone = pg::sql<logout_notices::add_for_ended>(R"(
            ended AS (
                UPDATE sessions s
                SET ended_at = $2
                FROM gone g
                WHERE s.scope_id = $1 AND s.session_id = g.session_id
                RETURNING s.scope_id, s.session_id, s.user_id, s.client_id, s.parent_id
            ),
            {add_for_ended})");

} // namespace

void end_of_providers(
    pg::Tx& tx, core::Scope const& scope, std::vector<std::string> const& identity_providers, core::Time now)
{
    // A client's session is opened under a lock on the browser's. So the second run sees every session that a
    // client got in those that the first run has ended.
    for (int run = 0; run < 2; ++run)
        tx.run(pg::sql<end_gone>(R"(
            WITH gone AS MATERIALIZED (
                SELECT s.session_id
                FROM sessions s
                WHERE s.scope_id = $1 AND s.identity_provider = ANY ($3::text[]) AND s.ended_at IS NULL
                ORDER BY s.session_id
                FOR NO KEY UPDATE
            ),
            {end_gone})"),
            {scope.id, now, identity_providers});
}

void end_of_issuer(
    pg::Tx& tx, core::Scope const& scope, UserId user_id, std::string_view issuer, core::Time now)
{
    tx.run(pg::sql<end_gone>(R"(
        WITH gone AS MATERIALIZED (
            SELECT s.session_id
            FROM sessions s
            WHERE s.scope_id = $1 AND s.user_id = $3 AND split_part(s.identity_provider, ' ', 1) = $4
                AND s.ended_at IS NULL
            ORDER BY s.session_id
            FOR NO KEY UPDATE
        ),
        {end_gone})"),
        {scope.id, now, user_id, issuer});
}

void end_of_client(pg::Tx& tx, core::Scope const& scope, std::string_view client_id, core::Time now)
{
    tx.run(R"(
        UPDATE sessions
        SET ended_at = $3
        WHERE scope_id = $1 AND client_id = $2 AND ended_at IS NULL)",
        {scope.id, client_id, now});
}

void end(pg::Tx& tx, core::Scope const& scope, core::Uuid id, core::Time now)
{
    // A client's session is opened under a lock on the browser's. So after this lock, the next statement sees
    // every session that a client got in it.
    tx.run("SELECT FROM sessions WHERE scope_id = $1 AND session_id = $2 FOR NO KEY UPDATE", {scope.id, id});
    tx.run(pg::sql<cannot_refresh, end_gone>(R"(
        WITH gone AS MATERIALIZED (
            SELECT s.session_id
            FROM sessions s
            WHERE s.scope_id = $1 AND (s.session_id = $3 OR (s.parent_id = $3 AND {cannot_refresh}))
                AND s.ended_at IS NULL
            ORDER BY s.session_id
            FOR NO KEY UPDATE
        ),
        {end_gone})"),
        {scope.id, now, id});
}

bool end_own(pg::Tx& tx, core::Scope const& scope, UserId user_id, core::Uuid id, core::Time now)
{
    auto const found = tx.run(R"(
        SELECT
        FROM sessions
        WHERE scope_id = $1 AND session_id = $3 AND user_id = $2 AND ended_at IS NULL AND expires_at > $4
        FOR NO KEY UPDATE)",
        {scope.id, user_id, id, now});
    if (found.empty()) return false;
    end(tx, scope, id, now);
    return true;
}

void end_others(pg::Tx& tx, core::Scope const& scope, UserId user_id, std::optional<core::Uuid> const& keep,
    core::Time now)
{
    tx.run(pg::sql<cannot_refresh, end_gone>(R"(
        WITH gone AS MATERIALIZED (
            SELECT s.session_id
            FROM sessions s
            WHERE s.scope_id = $1 AND s.user_id = $3 AND s.ended_at IS NULL
                AND s.session_id IS DISTINCT FROM $4::uuid
                AND ($4::uuid IS NULL OR NOT EXISTS (
                    SELECT
                    FROM sessions k
                    WHERE k.scope_id = $1 AND k.session_id = $4
                        AND (k.parent_id = s.session_id
                            OR (s.parent_id IN (k.session_id, k.parent_id) AND {cannot_refresh}))
                ))
            ORDER BY s.session_id
            FOR NO KEY UPDATE
        ),
        {end_gone})"),
        {scope.id, now, user_id, keep});
}

} // namespace auth_mfa::sessions
