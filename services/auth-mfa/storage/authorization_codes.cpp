#include "storage/authorization_codes.hpp"

#include "storage/purge.hpp"
#include "storage/session_rows.hpp"

namespace auth_mfa::authorization_codes {

namespace {

pg::Param optional_text(std::string const& text)
{
    return text.empty() ? pg::Param(nullptr) : pg::Param(std::string_view(text));
}

Redeemed read(pg::RowReader& r)
{
    Redeemed redeemed{.session = sessions::read_contents(r)};
    redeemed.nonce = r.text();
    return redeemed;
}

std::vector<pg::Param> parameters_of(std::span<Redemption const> rows)
{
    return {pg::column(rows, [](Redemption const& r) { return r.scope_id; }),
        pg::column(rows, [](Redemption const& r) { return pg::Param::bytes(crypto::view(r.hash)); }),
        pg::column(rows, [](Redemption const& r) { return std::string_view(r.client_id); }),
        pg::column(rows, [](Redemption const& r) { return std::string_view(r.redirect_uri); }),
        pg::column(rows, [](Redemption const& r) { return std::string_view(r.code_challenge); }),
        pg::column(rows, [](Redemption const& r) { return r.now; }),
        pg::column(rows, [](Redemption const& r) { return r.now + access_token_lifetime; }),
        pg::column(rows, [](Redemption const& r) { return r.now + session_lifetime; }),
        pg::column(rows, [](Redemption const& r) { return r.verified_only; }),
        pg::column(rows, [](Redemption const& r) { return std::string_view(r.user_agent); }),
        pg::column(rows, [](Redemption const& r) { return std::string_view(r.address); }),
        pg::column(rows, [](Redemption const& r) { return std::string_view(r.request_id); }),
        pg::column(rows, [](Redemption const&) { return core::Uuid::v7(); })};
}

} // namespace

pg::Batch<bool> insert_batch(pg::BatchConnection& connection, std::span<NewCode const> rows)
{
    std::vector<pg::Param> const params{pg::column(rows, [](NewCode const& r) { return r.scope_id; }),
        pg::column(rows, [](NewCode const& r) { return pg::Param::bytes(crypto::view(r.hash)); }),
        pg::column(rows, [](NewCode const& r) { return r.session_id; }),
        pg::column(rows, [](NewCode const& r) { return r.parent_id; }),
        pg::column(rows, [](NewCode const& r) { return r.user_id; }),
        pg::column(rows, [](NewCode const& r) { return std::string_view(r.client_id); }),
        pg::column(rows, [](NewCode const& r) { return std::string_view(r.redirect_uri); }),
        pg::column(rows, [](NewCode const& r) { return std::string_view(r.scope); }),
        pg::column(rows, [](NewCode const& r) { return optional_text(r.nonce); }),
        pg::column(rows, [](NewCode const& r) { return optional_text(r.code_challenge); }),
        pg::column(rows, [](NewCode const& r) { return r.now; }),
        pg::column(rows, [](NewCode const& r) { return r.now + lifetime; })};
    static constexpr char const* sql = R"(
        WITH k AS MATERIALIZED (
            SELECT *
            FROM unnest(
                $1::bigint[], $2::bytea[], $3::uuid[], $4::uuid[], $5::uuid[], $6::text[], $7::text[],
                $8::text[], $9::text[], $10::text[], $11::timestamptz[], $12::timestamptz[]
            ) WITH ORDINALITY AS x(
                scope_id, hash, session_id, parent_id, user_id, client_id, redirect_uri, scope, nonce,
                challenge, now, until, place
            )
        ),
            added AS (
                INSERT INTO authorization_codes (
                    scope_id, code_hash, session_id, parent_id, user_id, client_id, redirect_uri, scope, nonce,
                    code_challenge, created_at, expires_at
                )
                SELECT k.scope_id, k.hash, k.session_id, k.parent_id, k.user_id, k.client_id, k.redirect_uri,
                    k.scope, k.nonce, k.challenge, k.now, k.until
                FROM k
                JOIN sessions s ON s.scope_id = k.scope_id AND s.session_id = k.parent_id
                    AND s.user_id = k.user_id AND s.client_id IS NULL AND s.ended_at IS NULL
                    AND s.expires_at > k.now
                JOIN users u ON u.scope_id = k.scope_id AND u.user_id = k.user_id
                RETURNING scope_id, code_hash
            )
        SELECT k.place
        FROM k
        JOIN added a ON a.scope_id = k.scope_id AND a.code_hash = k.hash)";
    auto const result = co_await connection.run(pg::scopes_of(rows), sql, params);
    std::vector<bool> stored(rows.size());
    for (auto const& row : result)
        stored[static_cast<std::size_t>(pg::RowReader(row).integer() - 1)] = true;
    co_return stored;
}

pg::Batch<std::optional<Redeemed>> redeem_batch(
    pg::BatchConnection& connection, std::span<Redemption const> rows)
{
    // The users are locked first and in their order, as by every sign-in and every change of credentials. The
    // condition on `used_at` is checked again when the code is updated: of several callers, one updates it.
    // A client that renews its session silently leaves expired sessions. The newest 50 in a browser are kept
    // until the browser's session has ended, because the client may have to be told of the end.
    static constexpr auto sql = pg::sql<sessions::cannot_refresh, sessions::token_columns>(R"(
        WITH n AS MATERIALIZED (
            SELECT k.*, c.session_id, c.parent_id, c.scope, c.nonce, u.user_id, u.email, u.email_verified,
                u.role, u.updated_at,
                c.redirect_uri = k.redirect_uri AND coalesce(c.code_challenge, '') = k.challenge
                    AND u.status = 'active' AND (u.email_verified OR NOT k.verified_only) AS matches
            FROM unnest(
                $1::bigint[], $2::bytea[], $3::text[], $4::text[], $5::text[], $6::timestamptz[],
                $7::timestamptz[], $8::timestamptz[], $9::boolean[], $10::text[], $11::text[], $12::text[],
                $13::uuid[]
            ) WITH ORDINALITY AS k(
                scope_id, hash, client_id, redirect_uri, challenge, now, until, refreshable_until,
                verified_only, user_agent, address, request_id, audit_id, place
            )
            JOIN authorization_codes c ON c.scope_id = k.scope_id AND c.code_hash = k.hash
                AND c.client_id = k.client_id AND c.used_at IS NULL AND c.expires_at > k.now
            JOIN users u ON u.scope_id = c.scope_id AND u.user_id = c.user_id
            ORDER BY k.scope_id, c.user_id
            FOR NO KEY UPDATE OF u
        ),
            used AS (
                UPDATE authorization_codes c
                SET used_at = n.now
                FROM n
                WHERE c.scope_id = n.scope_id AND c.code_hash = n.hash AND c.used_at IS NULL
                RETURNING n.place
            ),
            browser AS MATERIALIZED (
                SELECT n.place, p.amr, coalesce(p.authenticated_at, p.created_at) AS authenticated_at,
                    coalesce(p.aal2, 'mfa' = ANY (p.amr)) AS aal2, p.identity_provider
                FROM n
                JOIN used ON used.place = n.place
                JOIN sessions p ON p.scope_id = n.scope_id AND p.session_id = n.parent_id
                    AND p.user_id = n.user_id AND p.ended_at IS NULL AND p.expires_at > n.now
                WHERE n.matches
                ORDER BY p.scope_id, p.session_id
                FOR SHARE OF p
            ),
            opened AS (
                INSERT INTO sessions (
                    scope_id, session_id, user_id, amr, authenticated_at, aal2, identity_provider, created_at,
                    rotated_at, expires_at, user_agent, address, client_id, scope, parent_id
                )
                SELECT n.scope_id, n.session_id, n.user_id, b.amr, b.authenticated_at, b.aal2,
                    b.identity_provider, clock_timestamp(), jobs_now(),
                    CASE
                        WHEN 'offline_access' = ANY (string_to_array(n.scope, ' ')) THEN n.refreshable_until
                        ELSE n.until
                    END,
                    n.user_agent, n.address, n.client_id, n.scope, n.parent_id
                FROM n
                JOIN browser b ON b.place = n.place
                RETURNING *
            ),
            surplus AS MATERIALIZED (
                SELECT n.scope_id, (
                        SELECT s.session_id
                        FROM sessions s
                        WHERE s.scope_id = n.scope_id AND s.parent_id = n.parent_id
                            AND s.client_id = n.client_id AND {cannot_refresh} AND s.expires_at < n.now
                        ORDER BY s.session_id DESC
                        OFFSET 50
                        LIMIT 1
                    ) AS session_id
                FROM n
                JOIN browser b ON b.place = n.place
            ),
            trimmed AS (
                DELETE FROM sessions d
                USING surplus
                WHERE d.scope_id = surplus.scope_id AND d.session_id = surplus.session_id
            ),
            audited AS (
                SELECT record_audit(
                    array_agg(n.scope_id), array_agg(n.audit_id), array_agg(n.user_id::text),
                    array_agg(n.role), array_agg('session.created'::text), array_agg('session'::text),
                    array_agg(n.session_id::text),
                    array_agg(jsonb_build_object('clientId', n.client_id, 'scope', n.scope)::text),
                    array_agg(n.request_id)
                )
                FROM n
                JOIN browser b ON b.place = n.place
            )
        SELECT u.place, {token_columns}, coalesce(u.nonce, '')
        FROM browser b
        JOIN n AS u ON u.place = b.place
        JOIN opened s ON s.scope_id = u.scope_id AND s.session_id = u.session_id
        CROSS JOIN audited)");
    auto const result = co_await connection.run(pg::scopes_of(rows), sql, parameters_of(rows));
    co_return pg::read_in_input_order(result, rows.size(), read);
}

std::optional<core::Uuid> session_of_used(
    pg::Tx& tx, core::Scope const& scope, crypto::Digest const& hash, std::string const& client_id)
{
    auto const result = tx.run(R"(
        SELECT session_id
        FROM authorization_codes
        WHERE scope_id = $1 AND code_hash = $2 AND client_id = $3 AND used_at IS NOT NULL)",
        {scope.id, pg::Param::bytes(crypto::view(hash)), client_id});
    return pg::read_first(result, &pg::RowReader::uuid);
}

std::size_t purge(pg::Tx& tx, std::vector<core::ScopeId> const& scopes, core::Time before, std::size_t limit)
{
    return auth_mfa::purge(tx, {"authorization_codes", "expires_at"}, scopes, before, limit);
}

} // namespace auth_mfa::authorization_codes
