#include "storage/sessions.hpp"

#include "pg/row.hpp"
#include "pg/sql.hpp"

#include <algorithm>

namespace auth_mfa::sessions {

namespace {

constexpr auto columns = pg::sql(R"(
    s.session_id, s.user_id, s.generation, s.amr, s.created_at, s.rotated_at, s.expires_at, s.ended_at,
    s.user_agent, s.address)");

constexpr auto token_columns = pg::sql("s.session_id, s.generation, s.amr, u.user_id, u.email, u.role");

Session read(pg::RowReader& r)
{
    Session session;
    session.id = r.uuid();
    session.user_id = UserId(r.uuid());
    session.generation = r.integer();
    session.amr = r.texts();
    session.created_at = r.time();
    session.rotated_at = r.time();
    session.expires_at = r.time();
    session.ended_at = r.optional_time();
    session.user_agent = r.text();
    session.address = r.text();
    return session;
}

TokenContents read_contents(pg::RowReader& r)
{
    TokenContents contents;
    contents.session_id = r.uuid();
    contents.generation = r.integer();
    contents.amr = r.texts();
    contents.user_id = UserId(r.uuid());
    contents.email = r.text();
    contents.role = r.one_of<Role>();
    return contents;
}

} // namespace

pg::Batch<Opened> insert_batch(pg::BatchConnection& connection, std::span<NewSession const> rows)
{
    std::vector<pg::Param> const params{
        pg::column(rows, [](NewSession const& r) { return r.scope_id; }),
        pg::column(rows, [](NewSession const& r) { return r.id; }),
        pg::column(rows, [](NewSession const& r) { return r.user_id; }),
        pg::column(rows, [](NewSession const& r) { return r.credentials_version; }),
        pg::column(rows, [](NewSession const& r) { return pg::Param(r.amr).text(); }),
        pg::column(rows, [](NewSession const& r) { return r.now; }),
        pg::column(rows, [](NewSession const& r) { return r.now + session_lifetime; }),
        pg::column(rows, [](NewSession const& r) { return std::string_view(r.user_agent); }),
        pg::column(rows, [](NewSession const& r) { return std::string_view(r.address); }),
    };
    // The lock on the user's row serialises sign-ins and changes of credentials: the later transaction sees
    // the result of the earlier one. The lock also serialises the sign-ins of one user. The creation time is
    // read under this lock, so no list cursor can miss a session. The rows are sorted, so that two batches
    // lock their common users in the same order.
    auto const result = co_await connection.run(pg::scopes_of(rows),
        R"(
        WITH n AS MATERIALIZED (
            SELECT k.*, u.user_id AS owner_id
            FROM unnest(
                $1::bigint[], $2::uuid[], $3::uuid[], $4::bigint[], $5::text[], $6::timestamptz[],
                $7::timestamptz[], $8::text[], $9::text[]
            ) AS k(scope_id, id, user_id, version, amr, now, expires_at, user_agent, address)
            JOIN users u ON u.scope_id = k.scope_id AND u.user_id = k.user_id
                AND u.credentials_version = k.version
            ORDER BY k.scope_id, k.user_id
            FOR NO KEY UPDATE OF u
        )
        INSERT INTO sessions (
            scope_id, session_id, user_id, amr, created_at, rotated_at, expires_at, user_agent, address
        )
        SELECT n.scope_id, n.id, n.user_id, n.amr::text[], clock_timestamp(), jobs_now(), n.expires_at,
            n.user_agent, n.address
        FROM n
        RETURNING session_id)",
        params);
    std::vector<Opened> opened(rows.size(), Opened::credentials_changed);
    for (core::Uuid const& id : pg::read_rows(result, &pg::RowReader::uuid)) {
        auto const it = std::ranges::find(rows, id, &NewSession::id);
        opened[static_cast<std::size_t>(it - rows.begin())] = Opened::yes;
    }
    co_return opened;
}

pg::Batch<std::optional<TokenContents>> rotate_batch(
    pg::BatchConnection& connection, std::span<Rotation const> rows)
{
    std::vector<pg::Param> const params{pg::column(rows, [](Rotation const& r) { return r.scope_id; }),
        pg::column(rows, [](Rotation const& r) { return r.session_id; }),
        pg::column(rows, [](Rotation const& r) { return r.generation; }),
        pg::column(rows, [](Rotation const& r) { return r.now; }),
        pg::column(rows, [](Rotation const& r) { return r.now + session_lifetime; })};
    // The rows are sorted, so that two batches lock their common sessions in the same order.
    static constexpr auto sql = pg::sql<token_columns>(R"(
        UPDATE sessions s
        SET generation = s.generation + 1, rotated_at = jobs_now(), expires_at = k.until
        FROM (
            SELECT *
            FROM unnest(
                $1::bigint[], $2::uuid[], $3::bigint[], $4::timestamptz[], $5::timestamptz[]
            ) WITH ORDINALITY AS x(scope_id, session_id, generation, now, until, place)
            ORDER BY scope_id, session_id
        ) AS k,
            users u
        WHERE s.scope_id = k.scope_id AND s.session_id = k.session_id AND s.generation = k.generation
            AND s.ended_at IS NULL AND s.expires_at > k.now AND u.scope_id = s.scope_id
            AND u.user_id = s.user_id
        RETURNING k.place, {token_columns})");
    auto const result = co_await connection.run(pg::scopes_of(rows), sql, params);
    co_return pg::read_in_input_order(result, rows.size(), read_contents);
}

std::optional<Locked> lock(pg::Tx& tx, core::Scope const& scope, core::Uuid id)
{
    auto const result = tx.run(pg::sql<columns>(R"(
        SELECT {columns}, jobs_now()
        FROM sessions s
        WHERE s.scope_id = $1 AND s.session_id = $2
        FOR NO KEY UPDATE)"),
        {scope.id, id});
    return pg::read_first(result, [](pg::RowReader& r) {
        Session session = read(r);
        return Locked{std::move(session), r.time()};
    });
}

TokenContents token_contents(pg::Tx& tx, core::Scope const& scope, core::Uuid id)
{
    auto const result = tx.run(pg::sql<token_columns>(R"(
        SELECT {token_columns}
        FROM sessions s
        JOIN users u ON u.scope_id = s.scope_id AND u.user_id = s.user_id
        WHERE s.scope_id = $1 AND s.session_id = $2)"),
        {scope.id, id});
    return pg::read_first(result, read_contents).value();
}

void end(pg::Tx& tx, core::Scope const& scope, core::Uuid id, core::Time now)
{
    tx.run("UPDATE sessions SET ended_at = $3 WHERE scope_id = $1 AND session_id = $2 AND ended_at IS NULL",
        {scope.id, id, now});
}

bool end_own(pg::Tx& tx, core::Scope const& scope, UserId user_id, core::Uuid id, core::Time now)
{
    auto const result = tx.run(R"(
        UPDATE sessions
        SET ended_at = $4
        WHERE scope_id = $1 AND session_id = $3 AND user_id = $2 AND ended_at IS NULL
            AND expires_at > $4)",
        {scope.id, user_id, id, now});
    return result.affected_rows() == 1;
}

void end_others(pg::Tx& tx, core::Scope const& scope, UserId user_id, std::optional<core::Uuid> const& keep,
    core::Time now)
{
    tx.run(R"(
        UPDATE sessions
        SET ended_at = $4
        WHERE scope_id = $1 AND user_id = $2 AND ended_at IS NULL
            AND session_id IS DISTINCT FROM $3::uuid)",
        {scope.id, user_id, keep, now});
}

std::vector<Session> list(pg::Tx& tx, core::Scope const& scope, UserId user_id, core::Time now,
    std::optional<paging::Position> const& after, std::size_t limit)
{
    auto const result = tx.run(pg::sql<columns>(R"(
        SELECT {columns}
        FROM sessions s
        WHERE s.scope_id = $1 AND s.user_id = $2 AND s.ended_at IS NULL AND s.expires_at > $3
            AND (s.created_at, s.session_id) < ($4::timestamptz, $5::uuid)
        ORDER BY s.created_at DESC, s.session_id DESC
        LIMIT $6)"),
        {scope.id, user_id, now, paging::time_of(after), paging::id_of(after), limit});
    return pg::read_rows(result, read);
}

std::size_t purge(pg::Tx& tx, std::vector<core::ScopeId> const& scopes, core::Time before, std::size_t limit)
{
    auto const result = tx.run(R"(
        DELETE FROM sessions
        WHERE ctid = ANY (
            ARRAY(
                SELECT ctid
                FROM (
                    (
                        SELECT ctid
                        FROM sessions
                        WHERE scope_id = ANY ($1::bigint[]) AND ended_at < $2
                        LIMIT $4
                    )
                    UNION ALL (
                        SELECT ctid
                        FROM sessions
                        WHERE scope_id = ANY ($1::bigint[]) AND created_at < $3 AND ended_at IS NULL
                            AND expires_at < $2
                        LIMIT $4
                    )
                ) AS old
                LIMIT $4
            )
        ))",
        {scopes, before, before - session_lifetime, limit});
    return result.affected_rows();
}

} // namespace auth_mfa::sessions
