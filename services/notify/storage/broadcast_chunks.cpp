#include "storage/broadcast_chunks.hpp"

#include "jobs/queue.hpp"
#include "pg/row.hpp"
#include "pg/uuids.hpp"

namespace notify::broadcast_chunks {

namespace {

Range read_range(pg::RowReader& r)
{
    Range range;
    range.first = r.integer();
    range.last = r.integer();
    range.devices = r.integer();
    return range;
}

Device read_new(pg::RowReader& r)
{
    Device d;
    d.id = r.integer();
    d.token = r.text();
    d.carrier = carrier_of(r.one_of<DevicePlatform>());
    return d;
}

Device read_waiting(pg::RowReader& r)
{
    Device d = read_new(r);
    d.attempts.made = r.integer();
    d.attempts.first = r.optional_time();
    d.not_before = r.optional_time();
    return d;
}

/// Makes the planner read devices along the primary key, in one process, until the transaction ends. Without
/// these settings, the planner may choose a scan of the whole scope and a sort, because a table that was
/// filled recently has old statistics.
void read_in_order(pg::Tx& tx)
{
    tx.run(R"(
        SELECT set_config('enable_bitmapscan', 'off', true), set_config('enable_seqscan', 'off', true),
            set_config('max_parallel_workers_per_gather', '0', true))");
}

} // namespace

std::vector<Range> split(pg::Tx& tx, core::ScopeId scope_id, std::int64_t after, std::int64_t last,
    std::size_t size, std::size_t limit)
{
    read_in_order(tx);
    // Finds the end of each range from the end of the previous range, along the primary key. This takes a
    // quarter of the time of a statement that numbers all rows.
    auto const ends = pg::read_rows(tx.run(R"(
        WITH RECURSIVE ends (place, device_id) AS (
            SELECT 0::bigint, $2::bigint
            UNION ALL
            SELECT e.place + 1, (SELECT d.device_id FROM devices d
                WHERE d.scope_id = $1 AND d.device_id > e.device_id AND d.device_id <= $3::bigint
                ORDER BY d.device_id OFFSET $4::bigint - 1 LIMIT 1)
            FROM ends e WHERE e.device_id IS NOT NULL AND e.place < $5::bigint)
        SELECT device_id FROM ends WHERE place > 0 AND device_id IS NOT NULL ORDER BY place)",
                                        {scope_id, after, last, size, limit}),
        &pg::RowReader::integer);
    std::vector<Range> ranges;
    ranges.reserve(ends.size() + 1);
    for (auto const end : ends) {
        ranges.push_back({after + 1, end, static_cast<std::int64_t>(size)});
        after = end;
    }
    if (ranges.size() == limit) return ranges;
    auto const rest = tx.run(R"(
        SELECT count(*)
        FROM devices
        WHERE scope_id = $1 AND device_id > $2::bigint AND device_id <= $3::bigint)",
        {scope_id, after, last});
    if (auto const devices = pg::RowReader(rest[0]).integer(); devices > 0)
        ranges.push_back({after + 1, last, devices});
    return ranges;
}

void insert(pg::Tx& tx, core::ScopeId scope_id, core::Uuid const& broadcast_id, std::span<Range const> ranges)
{
    if (ranges.empty()) return;
    std::vector<core::Uuid> ids;
    ids.reserve(ranges.size());
    for (std::size_t i = 0; i < ranges.size(); ++i)
        ids.push_back(core::Uuid::v7());
    std::vector<pg::Param> const params{scope_id, broadcast_id, pg::uuids(ids),
        pg::column(ranges, [](Range const& r) { return r.first; }),
        pg::column(ranges, [](Range const& r) { return r.last; }),
        pg::column(ranges, [](Range const& r) { return r.devices; })};
    tx.run(R"(
        INSERT INTO broadcast_chunks (
            scope_id, broadcast_id, chunk_id, first_device_id, last_device_id, devices
        )
        SELECT $1::bigint, $2::uuid, *
        FROM unnest($3::uuid[], $4::bigint[], $5::bigint[], $6::integer[]))",
        params);
    jobs::enqueue(tx, queue, scope_id, ids);
}

std::optional<Chunk> find(pg::Tx& tx, core::ScopeId scope_id, core::Uuid const& id)
{
    auto const found = tx.run(R"(
        SELECT chunk_id, broadcast_id, first_device_id, last_device_id, devices,
            coalesce(cardinality(waiting_ids), devices), began_at, now()
        FROM broadcast_chunks
        WHERE scope_id = $1 AND chunk_id = $2)",
        {scope_id, id});
    return pg::read_first(found, [](pg::RowReader& r) {
        Chunk c;
        c.id = r.uuid();
        c.broadcast_id = r.uuid();
        c.range = read_range(r);
        c.left = r.integer();
        c.began_at = r.optional_time();
        c.read_at = r.time();
        return c;
    });
}

std::vector<Device> devices(pg::Tx& tx, core::ScopeId scope_id, Chunk const& chunk)
{
    // Most chunks are read only once, with all their devices. The LIMIT removes no row; it tells the planner
    // that there are few rows.
    if (!chunk.began_at)
        return pg::read_rows(tx.run(
                                 R"(
                SELECT device_id, token, platform
                FROM devices
                WHERE scope_id = $1 AND device_id >= $2::bigint AND device_id <= $3::bigint
                ORDER BY device_id
                LIMIT $4::bigint)",
                                 {scope_id, chunk.range.first, chunk.range.last, chunk.range.devices}),
            read_new);
    return pg::read_rows(tx.run(R"(
        SELECT d.device_id, d.token, d.platform, w.tries, w.since, w.not_before
        FROM broadcast_chunks c
        CROSS JOIN LATERAL unnest(c.waiting_ids, c.waiting_tries, c.waiting_since, c.waiting_not_before)
            AS w (device_id, tries, since, not_before)
        JOIN devices d ON d.scope_id = $1 AND d.device_id = w.device_id
        WHERE c.scope_id = $1 AND c.chunk_id = $2
        ORDER BY d.device_id)",
                             {scope_id, chunk.id}),
        read_waiting);
}

bool keep_waiting(pg::Tx& tx, core::ScopeId scope_id, core::Uuid const& id, std::span<Waiting const> waiting,
    bool waits_for_carrier, core::Time began)
{
    std::vector<pg::Param> const params{scope_id, id,
        pg::column(waiting, [](Waiting const& w) { return w.device_id; }),
        pg::column(waiting, [](Waiting const& w) { return w.attempts.made; }),
        pg::column(waiting, [](Waiting const& w) { return w.attempts.first; }),
        pg::column(waiting, [](Waiting const& w) { return w.not_before; }), waits_for_carrier, began};
    auto const kept = tx.run(R"(
        UPDATE broadcast_chunks
        SET waiting_ids = $3, waiting_tries = $4, waiting_since = $5, waiting_not_before = $6,
            waits_for_platform = $7, began_at = coalesce(began_at, $8)
        WHERE scope_id = $1 AND chunk_id = $2)",
        params);
    return kept.affected_rows() > 0;
}

bool remove(pg::Tx& tx, core::ScopeId scope_id, core::Uuid const& id)
{
    auto const removed =
        tx.run("DELETE FROM broadcast_chunks WHERE scope_id = $1 AND chunk_id = $2", {scope_id, id});
    return removed.affected_rows() > 0;
}

void wake_all(pg::Tx& tx, core::ScopeId scope_id, core::Uuid const& broadcast_id)
{
    auto const ids = pg::read_rows(
        tx.run("SELECT chunk_id FROM broadcast_chunks WHERE scope_id = $1 AND broadcast_id = $2",
            {scope_id, broadcast_id}),
        &pg::RowReader::uuid);
    jobs::enqueue(tx, queue, scope_id, ids);
}

void wake_paused(pg::Tx& tx, core::ScopeId scope_id)
{
    auto const ids = pg::read_rows(
        tx.run(
            "SELECT chunk_id FROM broadcast_chunks WHERE scope_id = $1 AND waits_for_platform", {scope_id}),
        &pg::RowReader::uuid);
    jobs::enqueue(tx, queue, scope_id, ids);
}

} // namespace notify::broadcast_chunks
