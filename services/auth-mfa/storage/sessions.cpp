#include "storage/sessions.hpp"

#include "storage/session_rows.hpp"

#include <algorithm>

namespace auth_mfa::sessions {

namespace {

constexpr auto columns = pg::sql(R"(
    s.session_id, s.user_id, s.generation, s.amr, coalesce(s.authenticated_at, s.created_at),
    coalesce(s.aal2, 'mfa' = ANY (s.amr)), s.created_at, s.rotated_at, s.expires_at, s.ended_at,
    s.user_agent, s.address, coalesce(s.client_id, ''))");

/// Whether one of the last 50 sessions of the user of the row `k` has the `user_agent` of `k`. After 10
/// sessions within an hour, every browser counts as known, so that sign-ins cannot flood the user's mailbox.
/// Sessions of clients do not count: no sign-in opened them.
/// The first browser counts as known, too. Ended sessions are deleted after some days, so whether it is the
/// first one is known from the activity, which is kept for 90 days, and for older accounts not at all.
constexpr auto knows_browser = pg::sql(R"(coalesce(
    (
        SELECT bool_or(r.user_agent = k.user_agent)
            OR count(*) FILTER (WHERE r.created_at > now() - interval '1 hour') >= 10
        FROM (
            SELECT s.user_agent, s.created_at
            FROM sessions s
            WHERE s.scope_id = k.scope_id AND s.user_id = k.user_id AND s.client_id IS NULL
            ORDER BY s.created_at DESC, s.session_id DESC
            LIMIT 50
        ) AS r
    ),
    (
        SELECT v.created_at > now() - interval '90 days'
            AND NOT EXISTS (
                SELECT
                FROM activity a
                WHERE a.scope_id = v.scope_id AND a.user_id = v.user_id AND a.type = 'sign_in'
                    AND a.result = 'success'
            )
        FROM users v
        WHERE v.scope_id = k.scope_id AND v.user_id = k.user_id
    )
))");

Session read(pg::RowReader& r)
{
    Session session;
    session.id = r.uuid();
    session.user_id = UserId(r.uuid());
    session.generation = r.integer();
    session.amr = r.texts();
    session.assurance.authenticated_at = r.time();
    session.assurance.aal2 = r.boolean();
    session.created_at = r.time();
    session.rotated_at = r.time();
    session.expires_at = r.time();
    session.ended_at = r.optional_time();
    session.user_agent = r.text();
    session.address = r.text();
    session.client_id = r.text();
    return session;
}

} // namespace

TokenContents read_contents(pg::RowReader& r)
{
    TokenContents contents;
    contents.session_id = r.uuid();
    contents.generation = r.integer();
    contents.amr = r.texts();
    contents.assurance.authenticated_at = r.time();
    contents.assurance.aal2 = r.boolean();
    contents.identity_provider = r.optional_text();
    contents.expires_at = r.time();
    contents.client_id = r.text();
    contents.scope = r.text();
    contents.user_id = UserId(r.uuid());
    contents.email = r.text();
    contents.email_verified = r.boolean();
    contents.role = r.one_of<Role>();
    contents.user_updated_at = r.time();
    return contents;
}

pg::Batch<Opened> insert_batch(pg::BatchConnection& connection, std::span<NewSession const> rows)
{
    auto const id = [](auto const&) { return core::Uuid::v7(); };
    std::vector<pg::Param> const params{
        pg::column(rows, [](NewSession const& r) { return r.scope_id; }),
        pg::column(rows, [](NewSession const& r) { return r.id; }),
        pg::column(rows, [](NewSession const& r) { return r.user_id; }),
        pg::column(rows, [](NewSession const& r) { return r.credentials_version; }),
        pg::column(rows, [](NewSession const& r) { return pg::Param(r.amr).text(); }),
        pg::column(rows, [](NewSession const& r) { return r.aal2; }),
        pg::column(rows, [](NewSession const& r) { return r.identity_provider; }),
        pg::column(rows, [](NewSession const& r) { return r.now; }),
        pg::column(rows, [](NewSession const& r) { return r.now + session_lifetime; }),
        pg::column(rows, [](NewSession const& r) { return std::string_view(r.user_agent); }),
        pg::column(rows, [](NewSession const& r) { return std::string_view(r.address); }),
        pg::column(rows, [](NewSession const& r) { return std::string_view(r.request_id); }),
        pg::column(rows, [](NewSession const& r) { return r.report_new_browser; }),
        pg::column(rows, id),
        pg::column(rows, id),
    };
    // The lock on the user's row serialises sign-ins and changes of credentials: the later transaction sees
    // the result of the earlier one. The lock also serialises the sign-ins of one user. The creation time is
    // read under this lock, so no list cursor can miss a session. The rows are sorted, so that two batches
    // lock their common users in the same order.
    static constexpr auto sql = pg::sql<knows_browser>(R"(
        WITH n AS MATERIALIZED (
            SELECT k.*, u.role,
                NOT EXISTS (SELECT FROM webhooks w WHERE w.scope_id = k.scope_id AND w.enabled)
                    AND (NOT k.report OR {knows_browser}) AS plain
            FROM unnest(
                $1::bigint[], $2::uuid[], $3::uuid[], $4::bigint[], $5::text[], $6::boolean[], $7::text[],
                $8::timestamptz[], $9::timestamptz[], $10::text[], $11::text[], $12::text[], $13::boolean[],
                $14::uuid[], $15::uuid[]
            ) AS k(
                scope_id, id, user_id, version, amr, aal2, provider, now, expires_at, user_agent, address,
                request_id, report, activity_id, audit_id
            )
            JOIN users u ON u.scope_id = k.scope_id AND u.user_id = k.user_id
                AND u.credentials_version = k.version AND u.status = 'active'
            ORDER BY k.scope_id, k.user_id
            FOR NO KEY UPDATE OF u
        ),
            opened AS (
                INSERT INTO sessions (
                    scope_id, session_id, user_id, amr, authenticated_at, aal2, identity_provider, created_at,
                    rotated_at, expires_at, user_agent, address
                )
                SELECT n.scope_id, n.id, n.user_id, n.amr::text[], n.now, n.aal2, n.provider,
                    clock_timestamp(), jobs_now(), n.expires_at, n.user_agent, n.address
                FROM n
                WHERE n.plain
            ),
            seen AS (
                INSERT INTO activity (scope_id, activity_id, user_id, at, type, result, ip, user_agent)
                SELECT n.scope_id, n.activity_id, n.user_id, clock_timestamp(), 'sign_in', 'success',
                    n.address, n.user_agent
                FROM n
                WHERE n.plain
            ),
            audited AS (
                SELECT record_audit(
                    array_agg(n.scope_id), array_agg(n.audit_id), array_agg(n.user_id::text),
                    array_agg(n.role), array_agg('session.created'::text), array_agg('session'::text),
                    array_agg(n.id::text), array_agg(jsonb_build_object('amr', n.amr::text[])::text),
                    array_agg(n.request_id)
                )
                FROM n
                WHERE n.plain
            )
        SELECT n.id, n.plain
        FROM n
        CROSS JOIN audited)");
    auto const result = co_await connection.run(pg::scopes_of(rows), sql, params);
    std::vector<Opened> opened(rows.size(), Opened::credentials_changed);
    for (auto const& row : result) {
        pg::RowReader r(row);
        auto const it = std::ranges::find(rows, r.uuid(), &NewSession::id);
        opened[static_cast<std::size_t>(it - rows.begin())] = r.boolean() ? Opened::yes : Opened::not_plain;
    }
    co_return opened;
}

Inserted insert(pg::Tx& tx, NewSession const& row)
{
    auto const known = tx.run(pg::sql<knows_browser>(R"(
        SELECT {knows_browser}
        FROM (SELECT $1::bigint AS scope_id, $2::uuid AS user_id, $3::text AS user_agent) AS k)"),
        {row.scope_id, row.user_id, row.user_agent});
    auto const result = tx.run(R"(
        INSERT INTO sessions (
            scope_id, session_id, user_id, amr, authenticated_at, aal2, identity_provider, created_at,
            rotated_at, expires_at, user_agent, address
        )
        SELECT u.scope_id, $2, u.user_id, $5::text[], $6, $7, $8, clock_timestamp(), jobs_now(), $9, $10, $11
        FROM users u
        WHERE u.scope_id = $1 AND u.user_id = $3 AND u.credentials_version = $4 AND u.status = 'active')",
        {row.scope_id, row.id, row.user_id, row.credentials_version, row.amr, row.now, row.aal2,
            row.identity_provider, row.now + session_lifetime, row.user_agent, row.address});
    return {.opened = result.affected_rows() == 1,
        .new_browser = row.report_new_browser && !pg::RowReader(known[0]).boolean()};
}

pg::Batch<std::optional<TokenContents>> rotate_batch(
    pg::BatchConnection& connection, std::span<Rotation const> rows)
{
    std::vector<pg::Param> const params{pg::column(rows, [](Rotation const& r) { return r.scope_id; }),
        pg::column(rows, [](Rotation const& r) { return r.session_id; }),
        pg::column(rows, [](Rotation const& r) { return r.generation; }),
        pg::column(rows, [](Rotation const& r) { return r.now; }),
        pg::column(rows, [](Rotation const& r) { return r.now + session_lifetime; }),
        pg::column(rows, [](Rotation const& r) { return r.verified_only; }),
        pg::column(rows, [](Rotation const& r) { return std::string_view(r.client_id); })};
    // The rows are sorted, so that two batches lock their common sessions in the same order.
    static constexpr auto sql = pg::sql<token_columns>(R"(
        UPDATE sessions s
        SET generation = s.generation + 1, rotated_at = jobs_now(), expires_at = k.until
        FROM (
            SELECT *
            FROM unnest(
                $1::bigint[], $2::uuid[], $3::bigint[], $4::timestamptz[], $5::timestamptz[], $6::boolean[],
                $7::text[]
            ) WITH ORDINALITY AS x(scope_id, session_id, generation, now, until, verified_only, client_id, place)
            ORDER BY scope_id, session_id
        ) AS k,
            users u
        WHERE s.scope_id = k.scope_id AND s.session_id = k.session_id AND s.generation = k.generation
            AND coalesce(s.client_id, '') = k.client_id
            AND s.ended_at IS NULL AND s.expires_at > k.now AND u.scope_id = s.scope_id
            AND u.user_id = s.user_id AND (u.email_verified OR NOT k.verified_only)
        RETURNING k.place, {token_columns})");
    auto const result = co_await connection.run(pg::scopes_of(rows), sql, params);
    co_return pg::read_in_input_order(result, rows.size(), read_contents);
}

std::optional<Locked> lock(pg::Tx& tx, core::Scope const& scope, core::Uuid id)
{
    auto const result = tx.run(pg::sql<columns>(R"(
        SELECT {columns}, jobs_now()
        FROM sessions s
        JOIN users u ON u.scope_id = s.scope_id AND u.user_id = s.user_id
        WHERE s.scope_id = $1 AND u.scope_id = $1 AND s.session_id = $2
        FOR NO KEY UPDATE OF s)"),
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

std::optional<TokenContents> find_live(pg::Tx& tx, core::Scope const& scope, core::Uuid id, core::Time now)
{
    auto const result = tx.run(pg::sql<token_columns>(R"(
        SELECT {token_columns}
        FROM sessions s
        JOIN users u ON u.scope_id = s.scope_id AND u.user_id = s.user_id
        WHERE s.scope_id = $1 AND s.session_id = $2 AND s.ended_at IS NULL AND s.expires_at > $3)"),
        {scope.id, id, now});
    return pg::read_first(result, read_contents);
}

std::optional<TokenContents> reauthenticate(pg::Tx& tx, core::Scope const& scope, core::Uuid id,
    std::vector<std::string> const& amr, bool aal2, core::Time now)
{
    auto const updated = tx.run(R"(
        UPDATE sessions
        SET authenticated_at = $3, aal2 = coalesce(aal2, 'mfa' = ANY (amr)) OR $4,
            amr = amr || ARRAY(
                SELECT a.method
                FROM unnest($5::text[]) WITH ORDINALITY AS a (method, place)
                WHERE a.method <> ALL (sessions.amr)
                ORDER BY a.place
            )
        WHERE scope_id = $1 AND session_id = $2 AND ended_at IS NULL AND expires_at > $3)",
        {scope.id, id, now, aal2, amr});
    return updated.affected_rows() == 1 ? std::optional(token_contents(tx, scope, id)) : std::nullopt;
}

std::optional<core::Uuid> parent_of(
    pg::Tx& tx, core::Scope const& scope, std::string_view client_id, core::Uuid id)
{
    auto const result = tx.run(R"(
        SELECT parent_id
        FROM sessions
        WHERE scope_id = $1 AND session_id = $2 AND client_id = $3)",
        {scope.id, id, client_id});
    return result.empty() ? std::nullopt : pg::RowReader(result[0]).optional_uuid();
}

std::vector<Session> list(pg::Tx& tx, core::Scope const& scope, UserId user_id,
    std::optional<core::Time> live_at, std::optional<paging::Position> const& after, std::size_t limit)
{
    auto const result = tx.run(pg::sql<columns, cannot_refresh>(R"(
        SELECT {columns}
        FROM sessions s
        WHERE s.scope_id = $1 AND s.user_id = $2
            AND ($3::timestamptz IS NULL OR (s.ended_at IS NULL AND s.expires_at > $3 AND NOT {cannot_refresh}))
            AND (s.created_at, s.session_id) < ($4::timestamptz, $5::uuid)
        ORDER BY s.created_at DESC, s.session_id DESC
        LIMIT $6)"),
        {scope.id, user_id, live_at, paging::time_of(after), paging::id_of(after), limit});
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
