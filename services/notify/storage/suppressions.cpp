#include "storage/suppressions.hpp"

#include "pg/row.hpp"

namespace notify::suppressions {

namespace {

Suppression read(pg::RowReader& r)
{
    Suppression s;
    s.channel = r.one_of<Channel>();
    s.address = r.text();
    s.reason = r.text();
    s.created_at = r.time();
    s.place = r.uuid();
    return s;
}

} // namespace

bool contains(pg::Tx& tx, core::ScopeId scope_id, Channel channel, std::string_view address)
{
    auto const found =
        tx.run("SELECT FROM suppressions WHERE scope_id = $1 AND channel = $2 AND address = $3",
            {scope_id, to_string(channel), address});
    return !found.empty();
}

void insert(
    pg::Tx& tx, core::ScopeId scope_id, Channel channel, std::string_view address, std::string_view reason)
{
    pg::lock_scope(tx, scope_id);
    tx.run(R"(
        INSERT INTO suppressions (scope_id, channel, address, reason, created_at)
        VALUES ($1, $2, $3, $4, clock_timestamp())
        ON CONFLICT (scope_id, channel, address) DO NOTHING)",
        {scope_id, to_string(channel), address, reason});
}

std::vector<Suppression> list(
    pg::Tx& tx, core::Scope const& scope, std::optional<paging::Position> const& after, std::size_t limit)
{
    // md5 is not leakproof, so under row-level security the comparison of the pair only filters the rows that
    // the index returns. The comparison of the time is leakproof, so the index scan starts at the time of the
    // page.
    auto const result = tx.run(R"(
        SELECT channel, address, reason, created_at, md5(channel || address)::uuid
        FROM suppressions
        WHERE scope_id = $1 AND created_at <= $2::timestamptz
            AND (created_at, md5(channel || address)::uuid) < ($2::timestamptz, $3::uuid)
        ORDER BY created_at DESC, md5(channel || address)::uuid DESC
        LIMIT $4)",
        {scope.id, paging::time_of(after), paging::id_of(after), limit});
    return pg::read_rows(result, read);
}

bool remove(pg::Tx& tx, core::Scope const& scope, std::string_view address)
{
    // The statement names every channel, so that PostgreSQL can look up the primary key once per channel.
    auto const removed = tx.run(
        R"(
        DELETE FROM suppressions
        WHERE scope_id = $1 AND channel = ANY ($2::text[]) AND address = $3
        RETURNING 1)",
        {scope.id, pg::column(core::names_of<Channel>, [](std::string_view name) { return name; }), address});
    return !removed.empty();
}

} // namespace notify::suppressions
