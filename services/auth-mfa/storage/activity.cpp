#include "storage/activity.hpp"

#include "pg/row.hpp"
#include "storage/purge.hpp"

namespace auth_mfa::activity {

namespace {

Activity read(pg::RowReader& r)
{
    Activity entry;
    entry.id = r.uuid();
    entry.at = r.time();
    entry.type = r.text();
    entry.result = r.text();
    entry.ip = r.text();
    entry.user_agent = r.text();
    return entry;
}

} // namespace

void insert(pg::Tx& tx, core::Scope const& scope, UserId user_id, Activity const& entry)
{
    tx.run(R"(
        INSERT INTO activity (scope_id, activity_id, user_id, at, type, result, ip, user_agent)
        SELECT u.scope_id, $3::uuid, u.user_id, clock_timestamp(), $4::text, $5::text, $6::text, $7::text
        FROM users u
        WHERE u.scope_id = $1 AND u.user_id = $2)",
        {scope.id, user_id, entry.id, entry.type, entry.result, entry.ip, entry.user_agent});
}

std::vector<Activity> list(pg::Tx& tx, core::Scope const& scope, UserId user_id,
    std::optional<paging::Position> const& after, std::size_t limit)
{
    auto const result = tx.run(R"(
        SELECT activity_id, at, type, result, ip, user_agent
        FROM activity
        WHERE scope_id = $1 AND user_id = $2 AND (at, activity_id) < ($3::timestamptz, $4::uuid)
        ORDER BY at DESC, activity_id DESC
        LIMIT $5)",
        {scope.id, user_id, paging::time_of(after), paging::id_of(after), limit});
    return pg::read_rows(result, read);
}

std::size_t purge(pg::Tx& tx, std::vector<core::ScopeId> const& scopes, core::Time before, std::size_t limit)
{
    return auth_mfa::purge(tx, {"activity", "at"}, scopes, before, limit);
}

} // namespace auth_mfa::activity
