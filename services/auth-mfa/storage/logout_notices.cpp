#include "storage/logout_notices.hpp"

#include "pg/row.hpp"

namespace auth_mfa::logout_notices {

namespace {

pg::Param scopes_of(std::span<Key const> keys)
{
    return pg::column(keys, [](Key const& key) { return key.scope_id; });
}

pg::Param sessions_of(std::span<Key const> keys)
{
    return pg::column(keys, [](Key const& key) { return key.session_id; });
}

Notice read(pg::RowReader& r)
{
    Notice notice;
    notice.key.scope_id = r.scope_id();
    notice.key.session_id = r.uuid();
    notice.client_id = r.text();
    notice.user_id = UserId(r.uuid());
    notice.expires_at = r.time();
    notice.uri = r.text();
    notice.algorithm = r.one_of<crypto::SignatureAlgorithm>();
    return notice;
}

} // namespace

void add_for_user(pg::Tx& tx, core::Scope const& scope, UserId user_id)
{
    tx.run(pg::sql<add_for_ended>(R"(
        WITH ended AS (
            SELECT s.scope_id, s.session_id, s.user_id, s.client_id, s.parent_id
            FROM sessions s
            WHERE s.scope_id = $1 AND s.user_id = $2 AND s.client_id IS NOT NULL AND s.ended_at IS NULL
        ),
        {add_for_ended})"),
        {scope.id, user_id});
}

std::vector<Notice> load(pg::Tx& tx, std::span<Key const> keys)
{
    auto const result = tx.run(R"(
        SELECT n.scope_id, n.session_id, n.client_id, n.user_id, n.expires_at, c.backchannel_logout_uri,
            c.id_token_signing_alg
        FROM unnest($1::bigint[], $2::uuid[]) AS k(scope_id, session_id)
        JOIN logout_notices n ON n.scope_id = k.scope_id AND n.session_id = k.session_id
        JOIN clients c ON c.scope_id = n.scope_id AND c.client_id = n.client_id
        WHERE c.backchannel_logout_uri IS NOT NULL)",
        {scopes_of(keys), sessions_of(keys)});
    return pg::read_rows(result, read);
}

void remove(pg::Tx& tx, std::span<Key const> keys)
{
    tx.run(R"(
        DELETE FROM logout_notices n
        USING unnest($1::bigint[], $2::uuid[]) AS k(scope_id, session_id)
        WHERE n.scope_id = k.scope_id AND n.session_id = k.session_id)",
        {scopes_of(keys), sessions_of(keys)});
}

} // namespace auth_mfa::logout_notices
