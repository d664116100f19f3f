#include "storage/broadcast_chunks.hpp"

#include "pg/row.hpp"
#include "pg/sql.hpp"
#include "storage/carriers.hpp"
#include "storage/keys.hpp"
#include "storage/web_subscriptions.hpp"

#include <algorithm>

namespace notify::broadcast_chunks {

namespace {

/// Makes the planner read devices along the primary key, in one process, until the transaction ends. Without
/// these settings, the planner may choose a scan of the whole scope and a sort, because a table that was
/// filled recently has old statistics.
void read_in_order(pg::Tx& tx)
{
    tx.run(R"(
        SELECT set_config('enable_bitmapscan', 'off', true), set_config('enable_seqscan', 'off', true),
            set_config('max_parallel_workers_per_gather', '0', true))");
}

Cut::Part read_part(pg::RowReader& r)
{
    Cut::Part part;
    part.carrier = r.one_of<Carrier>();
    part.range.first = r.integer();
    part.range.last = r.integer();
    part.range.devices = r.integer();
    return part;
}

Chunk read_chunk(pg::RowReader& r)
{
    Chunk c;
    c.key.scope_id = r.scope_id();
    c.key.id = r.uuid();
    c.broadcast_id = r.uuid();
    c.range.first = r.integer();
    c.range.last = r.integer();
    c.range.devices = r.integer();
    c.waiting = r.integer();
    c.began_at = r.optional_time();
    c.read_at = r.time();
    return c;
}

/// Enqueues the jobs of chunks. `rows`: scope, chunk and carrier (NULL: `mixed_queue`).
constexpr auto enqueue_rows = pg::sql(R"(
    SELECT enqueue_jobs(
        'notify.broadcast_chunk' || coalesce('.' || carrier, ''), array_agg(scope_id), array_agg(chunk_id),
        array_agg(NULL::timestamptz)
    )
    FROM rows
    GROUP BY carrier)");

/// Reads the devices of one carrier that statements return with the place of their chunk, from 1.
struct ReadDevices {
    std::span<Chunk const> chunks;
    crypto::Keyring const& keyring;
    std::vector<std::vector<Device>>& into;

    void operator()(pg::Rows const& rows, bool in_range) const
    {
        for (auto const& row : rows) {
            pg::RowReader r(row);
            auto const place = static_cast<std::size_t>(r.integer() - 1);
            Device& d = into[place].emplace_back();
            d.in_range = in_range;
            d.id = r.integer();
            d.token = r.text();
            web_subscriptions::Stored const stored{r.optional_text(), r.optional_text()};
            if (stored.sealed)
                d.web = web_subscriptions::open(keyring, chunks[place].key.scope_id, d.token, stored);
            if (in_range) continue;
            d.attempts.made = r.integer();
            d.attempts.first = r.optional_time();
            d.not_before = r.optional_time();
        }
    }
};

} // namespace

Cut cut(pg::Tx& tx, core::ScopeId scope_id, std::int64_t after, std::int64_t last, std::size_t size,
    std::size_t chunks)
{
    read_in_order(tx);
    auto const limit = static_cast<std::int64_t>(size * chunks);
    auto const rows = tx.run(pg::sql<devices::device_carrier>(R"(
        SELECT carrier, min(device_id), max(device_id), count(*)
        FROM (
            SELECT device_id, carrier,
                (row_number() OVER (PARTITION BY carrier ORDER BY device_id) - 1) / $4::bigint AS part
            FROM (
                SELECT d.device_id, {device_carrier} AS carrier
                FROM devices d
                WHERE d.scope_id = $1 AND d.device_id > $2::bigint AND d.device_id <= $3::bigint
                ORDER BY d.device_id
                LIMIT $5::bigint
            ) AS next
        ) AS numbered
        GROUP BY carrier, part
        ORDER BY 2)"),
        {scope_id, after, last, size, limit});
    Cut cut{.parts = pg::read_rows(rows, read_part), .up_to = last};
    std::int64_t read = 0, highest = after;
    for (auto const& part : cut.parts) {
        read += part.range.devices;
        highest = std::max(highest, part.range.last);
    }
    cut.all = read < limit;
    if (!cut.all) cut.up_to = highest;
    return cut;
}

void insert(
    pg::Tx& tx, core::ScopeId scope_id, core::Uuid const& broadcast_id, std::span<Cut::Part const> parts)
{
    if (parts.empty()) return;
    std::vector<core::Uuid> ids;
    ids.reserve(parts.size());
    for (std::size_t i = 0; i < parts.size(); ++i)
        ids.push_back(core::Uuid::v7());
    tx.run(pg::sql<enqueue_rows>(R"(
        WITH rows AS (
            INSERT INTO broadcast_chunks (
                scope_id, broadcast_id, chunk_id, carrier, first_device_id, last_device_id, devices
            )
            SELECT $1::bigint, $2::uuid, *
            FROM unnest($3::uuid[], $4::text[], $5::bigint[], $6::bigint[], $7::integer[])
            RETURNING scope_id, chunk_id, carrier
        )
        {enqueue_rows})"),
        {scope_id, broadcast_id, pg::column(ids, [](core::Uuid const& id) { return pg::Param(id); }),
            pg::column(parts, [](Cut::Part const& p) { return to_string(p.carrier); }),
            pg::column(parts, [](Cut::Part const& p) { return p.range.first; }),
            pg::column(parts, [](Cut::Part const& p) { return p.range.last; }),
            pg::column(parts, [](Cut::Part const& p) { return p.range.devices; })});
}

std::vector<std::optional<Chunk>> find(pg::Tx& tx, std::span<Key const> keys)
{
    auto const rows = tx.run(R"(
        SELECT k.place, c.scope_id, c.chunk_id, c.broadcast_id, c.first_device_id, c.last_device_id, c.devices,
            coalesce(cardinality(c.waiting_ids), 0), c.began_at, now()
        FROM unnest($1::bigint[], $2::uuid[]) WITH ORDINALITY AS k(scope_id, chunk_id, place)
        CROSS JOIN LATERAL (
            SELECT *
            FROM broadcast_chunks x
            WHERE x.scope_id = k.scope_id AND x.chunk_id = k.chunk_id AND x.carrier IS NOT NULL
            LIMIT 1
        ) AS c)",
        {scope_column(keys), id_column(keys)});
    std::vector<std::optional<Chunk>> found(keys.size());
    for (auto const& row : rows) {
        pg::RowReader r(row);
        auto& slot = found[static_cast<std::size_t>(r.integer() - 1)];
        slot = read_chunk(r);
    }
    return found;
}

std::vector<std::vector<Device>> devices(
    pg::Tx& tx, Carrier carrier, std::span<Chunk const> chunks, crypto::Keyring const& keyring)
{
    std::vector<std::vector<Device>> found(chunks.size());
    if (chunks.empty()) return found;
    ReadDevices const read{chunks, keyring, found};
    auto const scopes = pg::column(chunks, [](Chunk const& c) { return c.key.scope_id; });
    // The LIMIT of each range removes no row; it tells the planner that there are few rows.
    read(tx.run(pg::sql<devices::device_carrier>(R"(
        SELECT c.place, d.device_id, d.token, d.web_subscription, d.web_key
        FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[]) WITH ORDINALITY
            AS c(scope_id, first, last, devices, place)
        CROSS JOIN LATERAL (
            SELECT *
            FROM devices x
            WHERE c.devices > 0 AND x.scope_id = c.scope_id AND x.device_id BETWEEN c.first AND c.last
            ORDER BY x.device_id
            LIMIT 1000000
        ) AS d
        WHERE {device_carrier} = $5)"),
             {scopes, pg::column(chunks, [](Chunk const& c) { return c.range.first; }),
                 pg::column(chunks, [](Chunk const& c) { return c.range.last; }),
                 pg::column(chunks, [](Chunk const& c) { return c.range.devices; }), to_string(carrier)}),
        true);
    bool const some_wait = std::ranges::any_of(chunks, [](Chunk const& c) { return c.waiting > 0; });
    if (some_wait) {
        read(tx.run(R"(
            SELECT c.place, d.device_id, d.token, d.web_subscription, d.web_key, w.tries, w.since, w.not_before
            FROM unnest($1::bigint[], $2::uuid[]) WITH ORDINALITY AS c(scope_id, chunk_id, place)
            JOIN broadcast_chunks x ON x.scope_id = c.scope_id AND x.chunk_id = c.chunk_id
            CROSS JOIN LATERAL unnest(x.waiting_ids, x.waiting_tries, x.waiting_since, x.waiting_not_before)
                AS w(device_id, tries, since, not_before)
            JOIN devices d ON d.scope_id = c.scope_id AND d.device_id = w.device_id)",
                 {scopes, pg::column(chunks, [](Chunk const& c) { return pg::Param(c.key.id); })}),
            false);
    }
    for (auto& of_chunk : found)
        std::ranges::sort(of_chunk, {}, &Device::id);
    return found;
}

std::set<Key> keep(pg::Tx& tx, std::span<Rest const> rests)
{
    if (rests.empty()) return {};
    auto const column = [rests](auto member) { return pg::column(rests, member); };
    auto const arrays = [rests](auto member) {
        return pg::column(rests, [&](Rest const& r) { return pg::column(r.waiting, member); });
    };
    std::vector<pg::Param> const params{column([](Rest const& r) { return r.key.scope_id; }),
        column([](Rest const& r) { return pg::Param(r.key.id); }),
        column([](Rest const& r) { return r.range.first; }),
        column([](Rest const& r) { return r.range.devices; }),
        arrays([](Waiting const& w) { return w.device_id; }),
        arrays([](Waiting const& w) { return w.attempts.made; }),
        arrays([](Waiting const& w) { return w.attempts.first; }),
        arrays([](Waiting const& w) { return w.not_before; }),
        column([](Rest const& r) { return r.waits_for_credential; }),
        column([](Rest const& r) { return r.began; })};
    return read_keys<Key>(tx.run(R"(
        UPDATE broadcast_chunks c
        SET first_device_id = k.first, devices = k.devices, waiting_ids = k.ids::bigint[],
            waiting_tries = k.tries::integer[], waiting_since = k.since::timestamptz[],
            waiting_not_before = k.not_before::timestamptz[], waits_for_credential = k.waits,
            began_at = coalesce(c.began_at, k.began)
        FROM unnest(
            $1::bigint[], $2::uuid[], $3::bigint[], $4::integer[], $5::text[], $6::text[], $7::text[],
            $8::text[], $9::boolean[], $10::timestamptz[]
        ) AS k(scope_id, chunk_id, first, devices, ids, tries, since, not_before, waits, began)
        WHERE c.scope_id = k.scope_id AND c.chunk_id = k.chunk_id
        RETURNING c.scope_id, c.chunk_id)",
        params));
}

void begin(pg::Tx& tx, std::span<Key const> keys, core::Time began)
{
    if (keys.empty()) return;
    tx.run(R"(
        UPDATE broadcast_chunks c
        SET began_at = $3, waiting_ids = '{}', waiting_tries = '{}', waiting_since = '{}',
            waiting_not_before = '{}'
        FROM unnest($1::bigint[], $2::uuid[]) AS k(scope_id, chunk_id)
        WHERE c.scope_id = k.scope_id AND c.chunk_id = k.chunk_id AND c.began_at IS NULL)",
        {scope_column(keys), id_column(keys), began});
}

std::set<Key> remove(pg::Tx& tx, std::span<Key const> keys)
{
    if (keys.empty()) return {};
    return read_keys<Key>(tx.run(R"(
        DELETE FROM broadcast_chunks c
        USING unnest($1::bigint[], $2::uuid[]) AS k(scope_id, chunk_id)
        WHERE c.scope_id = k.scope_id AND c.chunk_id = k.chunk_id
        RETURNING c.scope_id, c.chunk_id)",
        {scope_column(keys), id_column(keys)}));
}

void wake_all(pg::Tx& tx, core::ScopeId scope_id, core::Uuid const& broadcast_id)
{
    tx.run(pg::sql<enqueue_rows>(R"(
        WITH rows AS (
            SELECT scope_id, chunk_id, carrier
            FROM broadcast_chunks
            WHERE scope_id = $1 AND broadcast_id = $2
        )
        {enqueue_rows})"),
        {scope_id, broadcast_id});
}

void wake_paused(pg::Tx& tx, core::ScopeId scope_id, Carrier carrier)
{
    tx.run(pg::sql<enqueue_rows>(R"(
        WITH rows AS (
            SELECT scope_id, chunk_id, carrier
            FROM broadcast_chunks
            WHERE scope_id = $1
                AND ((carrier = $2 AND waits_for_credential) OR (carrier IS NULL AND waits_for_platform))
        )
        {enqueue_rows})"),
        {scope_id, to_string(carrier)});
}

std::optional<Split> split_mixed(pg::Tx& tx, Key const& key)
{
    // A run of the previous version that left devices has handled the whole range.
    auto const found = tx.run(pg::sql<devices::device_carrier, devices::device_carrier, enqueue_rows>(R"(
        WITH mixed AS (
            DELETE FROM broadcast_chunks
            WHERE scope_id = $1 AND chunk_id = $2 AND carrier IS NULL
            RETURNING *
        ),
        left_devices AS MATERIALIZED (
            SELECT m.scope_id, m.broadcast_id, m.began_at, {device_carrier} AS carrier, d.device_id,
                NULL::integer AS tries, NULL::timestamptz AS since, NULL::timestamptz AS not_before
            FROM mixed m
            CROSS JOIN LATERAL (
                SELECT *
                FROM devices x
                WHERE m.began_at IS NULL AND x.scope_id = m.scope_id
                    AND x.device_id BETWEEN m.first_device_id AND m.last_device_id
                ORDER BY x.device_id
                LIMIT 1000000
            ) AS d
            UNION ALL
            SELECT m.scope_id, m.broadcast_id, m.began_at, {device_carrier}, d.device_id, w.tries, w.since,
                w.not_before
            FROM mixed m
            CROSS JOIN LATERAL unnest(m.waiting_ids, m.waiting_tries, m.waiting_since, m.waiting_not_before)
                AS w(device_id, tries, since, not_before)
            CROSS JOIN LATERAL (
                SELECT *
                FROM devices x
                WHERE m.began_at IS NOT NULL AND x.scope_id = m.scope_id AND x.device_id = w.device_id
                LIMIT 1
            ) AS d
        ),
        rows AS (
            INSERT INTO broadcast_chunks (
                scope_id, broadcast_id, chunk_id, carrier, first_device_id, last_device_id, devices, began_at,
                waiting_ids, waiting_tries, waiting_since, waiting_not_before, waits_for_credential
            )
            SELECT scope_id, broadcast_id, gen_random_uuid(), carrier, min(device_id), max(device_id),
                count(*) FILTER (WHERE began_at IS NULL), began_at,
                CASE WHEN began_at IS NOT NULL THEN array_agg(device_id ORDER BY device_id) END,
                CASE WHEN began_at IS NOT NULL THEN array_agg(tries ORDER BY device_id) END,
                CASE WHEN began_at IS NOT NULL THEN array_agg(since ORDER BY device_id) END,
                CASE WHEN began_at IS NOT NULL THEN array_agg(not_before ORDER BY device_id) END, true
            FROM left_devices
            GROUP BY scope_id, broadcast_id, carrier, began_at
            RETURNING scope_id, chunk_id, carrier
        ),
        enqueued AS MATERIALIZED ({enqueue_rows})
        SELECT m.broadcast_id,
            coalesce(cardinality(m.waiting_ids), m.devices) - (SELECT count(*) FROM left_devices),
            (SELECT count(*) FROM enqueued)
        FROM mixed m)"),
        {key.scope_id, key.id});
    return pg::read_first(found, [](pg::RowReader& r) {
        Split split;
        split.broadcast_id = r.uuid();
        split.unregistered = r.integer();
        return split;
    });
}

} // namespace notify::broadcast_chunks
