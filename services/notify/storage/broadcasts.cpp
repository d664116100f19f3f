#include "storage/broadcasts.hpp"

#include "jobs/queue.hpp"
#include "pg/row.hpp"
#include "pg/sql.hpp"
#include "storage/keys.hpp"
#include "storage/webhook_events.hpp"

namespace notify::broadcasts {

namespace {

constexpr auto columns = pg::sql(R"(
    b.broadcast_id, b.template_name, b.dedupe_key, b.status, b.enqueued_devices, b.sent_count,
    b.failed_count, b.invalid_count, b.traceparent, b.created_at, b.started_at, b.fanned_out_at,
    b.completed_at, b.cancelled_at)");

Broadcast read(pg::RowReader& r)
{
    Broadcast b;
    b.id = r.uuid();
    b.template_name = r.text();
    b.dedupe_key = r.optional_text();
    b.status = r.one_of<BroadcastStatus>();
    b.enqueued = r.integer();
    b.settled.sent = r.integer();
    b.settled.failed = r.integer();
    b.settled.invalid = r.integer();
    b.traceparent = r.optional_text();
    b.created_at = r.time();
    b.started_at = r.optional_time();
    b.fanned_out_at = r.optional_time();
    b.completed_at = r.optional_time();
    b.cancelled_at = r.optional_time();
    return b;
}

} // namespace

std::optional<core::Uuid> holder_of(pg::Tx& tx, core::ScopeId scope_id, std::string_view key, core::Time now)
{
    auto const found = tx.run(R"(
        SELECT broadcast_id
        FROM broadcast_claims
        WHERE scope_id = $1 AND dedupe_key = $2 AND claimed_at > $3)",
        {scope_id, key, now - dedupe_window});
    return pg::read_first(found, &pg::RowReader::uuid);
}

std::optional<core::Uuid> claim(
    pg::Tx& tx, core::ScopeId scope_id, std::string_view key, core::Uuid const& id, core::Time now)
{
    auto const claimed = tx.run(R"(
        INSERT INTO broadcast_claims AS c (scope_id, dedupe_key, broadcast_id, claimed_at)
        VALUES ($1, $2, $3, $4)
        ON CONFLICT (scope_id, dedupe_key) DO UPDATE
        SET broadcast_id = excluded.broadcast_id, claimed_at = excluded.claimed_at
        WHERE c.claimed_at <= $5
        RETURNING 1)",
        {scope_id, key, id, now, now - dedupe_window});
    return claimed.empty() ? holder_of(tx, scope_id, key, now) : std::nullopt;
}

void insert(pg::Tx& tx, NewBroadcast const& row)
{
    pg::lock_scope(tx, row.scope_id);
    auto const& b = row.broadcast;
    tx.run(R"(
        INSERT INTO broadcasts (scope_id, broadcast_id, template_name, dedupe_key, title, body, push,
                                traceparent, last_device_id, created_at)
        SELECT $1::bigint, $2::uuid, $3::text, $4::text, $5::text, $6::text, $7::json, $8::text,
               coalesce((SELECT d.device_id FROM devices d WHERE d.scope_id = $1
                         ORDER BY d.device_id DESC LIMIT 1), 0),
               clock_timestamp())",
        {row.scope_id, b.id, b.template_name, b.dedupe_key, row.title, row.body, to_stored(row.push),
            b.traceparent});
    jobs::enqueue(tx, queue, row.scope_id, b.id, row.due_at);
}

std::optional<Broadcast> find(pg::Tx& tx, core::ScopeId scope_id, core::Uuid const& id)
{
    auto const found = tx.run(pg::sql<columns>(R"(
        SELECT {columns}
        FROM broadcasts b
        WHERE b.scope_id = $1 AND b.broadcast_id = $2)"),
        {scope_id, id});
    return pg::read_first(found, read);
}

std::vector<Broadcast> list(
    pg::Tx& tx, core::Scope const& scope, std::optional<paging::Position> const& after, std::size_t limit)
{
    auto const rows = tx.run(pg::sql<columns>(R"(
        SELECT {columns}
        FROM broadcasts b
        WHERE b.scope_id = $1 AND (b.created_at, b.broadcast_id) < ($2::timestamptz, $3::uuid)
        ORDER BY b.created_at DESC, b.broadcast_id DESC
        LIMIT $4::bigint)"),
        {scope.id, paging::time_of(after), paging::id_of(after), limit});
    return pg::read_rows(rows, read);
}

std::map<Key, Message> find_messages(pg::Tx& tx, std::span<Key const> keys)
{
    auto const rows = tx.run(R"(
        SELECT b.scope_id, b.broadcast_id, b.title, b.body, b.push, b.created_at, b.cancelled_at IS NOT NULL,
            b.traceparent
        FROM broadcasts b
        JOIN unnest($1::bigint[], $2::uuid[]) AS k(scope_id, broadcast_id)
            ON b.scope_id = k.scope_id AND b.broadcast_id = k.broadcast_id)",
        {scope_column(keys), id_column(keys)});
    std::map<Key, Message> messages;
    for (auto const& row : rows) {
        pg::RowReader r(row);
        auto const scope_id = r.scope_id();
        Message& m = messages[{scope_id, r.uuid()}];
        m.title = r.text();
        m.body = r.text();
        m.push = push_settings_of(r.optional_text());
        m.created_at = r.time();
        m.cancelled = r.boolean();
        m.traceparent = r.optional_text().value_or("");
    }
    return messages;
}

std::optional<Remaining> lock_remaining(pg::Tx& tx, core::ScopeId scope_id, core::Uuid const& id)
{
    auto const found = tx.run(R"(
        SELECT cut_up_to, last_device_id, enqueued_devices, traceparent
        FROM broadcasts
        WHERE scope_id = $1 AND broadcast_id = $2 AND status <> 'fanned_out'
        FOR NO KEY UPDATE)",
        {scope_id, id});
    return pg::read_first(found, [](pg::RowReader& r) {
        Remaining remaining;
        remaining.after = r.integer();
        remaining.last = r.integer();
        remaining.enqueued = r.integer();
        remaining.traceparent = r.optional_text().value_or("");
        return remaining;
    });
}

void add_enqueued(pg::Tx& tx, core::ScopeId scope_id, core::Uuid const& id, std::int64_t devices,
    std::int64_t up_to, bool all, core::Time now)
{
    tx.run(R"(
        UPDATE broadcasts
        SET status = CASE WHEN $5::boolean THEN 'fanned_out' ELSE 'fanning_out' END,
            cut_up_to = $4, enqueued_devices = enqueued_devices + $3::bigint,
            started_at = coalesce(started_at, $6),
            fanned_out_at = CASE WHEN $5::boolean THEN greatest($6::timestamptz, started_at) END
        WHERE scope_id = $1 AND broadcast_id = $2)",
        {scope_id, id, devices, up_to, all, now});
}

std::set<Key> lock_unfinished(pg::Tx& tx, std::span<Key const> keys)
{
    return read_keys<Key>(tx.run(R"(
        SELECT b.scope_id, b.broadcast_id
        FROM broadcasts b
        JOIN unnest($1::bigint[], $2::uuid[]) AS k(scope_id, broadcast_id)
            ON b.scope_id = k.scope_id AND b.broadcast_id = k.broadcast_id
        WHERE b.cancelled_at IS NULL
        ORDER BY b.scope_id, b.broadcast_id
        FOR NO KEY UPDATE OF b)",
        {scope_column(keys), id_column(keys)}));
}

void add_settled(pg::Tx& tx, std::map<Key, Settled> const& settled)
{
    if (settled.empty()) return;
    auto const column = [&](auto member) {
        return pg::column(settled, [&](auto const& entry) { return pg::Param(member(entry)); });
    };
    tx.run(R"(
        UPDATE broadcasts b
        SET sent_count = b.sent_count + s.sent, failed_count = b.failed_count + s.failed,
            invalid_count = b.invalid_count + s.invalid
        FROM unnest($1::bigint[], $2::uuid[], $3::bigint[], $4::bigint[], $5::bigint[])
            AS s(scope_id, broadcast_id, sent, failed, invalid)
        WHERE b.scope_id = s.scope_id AND b.broadcast_id = s.broadcast_id)",
        {column([](auto const& e) { return e.first.scope_id; }),
            column([](auto const& e) { return e.first.id; }),
            column([](auto const& e) { return e.second.sent; }),
            column([](auto const& e) { return e.second.failed; }),
            column([](auto const& e) { return e.second.invalid; })});
}

bool cancel(pg::Tx& tx, core::ScopeId scope_id, core::Uuid const& id, core::Time now)
{
    auto const cancelled = tx.run(R"(
        UPDATE broadcasts
        SET cancelled_at = $3, status = 'fanned_out',
            fanned_out_at = coalesce(fanned_out_at, greatest($3::timestamptz, started_at))
        WHERE scope_id = $1 AND broadcast_id = $2 AND completed_at IS NULL AND cancelled_at IS NULL)",
        {scope_id, id, now});
    return cancelled.affected_rows() > 0;
}

void complete_if_settled(pg::Tx& tx, core::ScopeId scope_id, core::Uuid const& id, core::Time now)
{
    auto const completed = tx.run(pg::sql<columns>(R"(
        UPDATE broadcasts b SET completed_at = greatest($3::timestamptz, fanned_out_at)
        WHERE scope_id = $1 AND broadcast_id = $2 AND completed_at IS NULL AND status = 'fanned_out'
        AND sent_count + failed_count + invalid_count = enqueued_devices
        RETURNING {columns})"),
        {scope_id, id, now});
    auto const broadcast = pg::read_first(completed, read);
    if (!broadcast) return;
    auto const gone = tx.run(
        "SELECT 1 FROM broadcast_gone WHERE scope_id = $1 AND broadcast_id = $2 LIMIT 1", {scope_id, id});
    if (!gone.empty()) jobs::enqueue(tx, prune_queue, scope_id, id);
    webhook_events::publish(tx, scope_id, *broadcast, now);
}

} // namespace notify::broadcasts
