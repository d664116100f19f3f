#include "storage/push_jobs.hpp"

#include "domain/status.hpp"
#include "pg/row.hpp"
#include "pg/sql.hpp"
#include "storage/keys.hpp"
#include "storage/notification_rows.hpp"

#include <string>

namespace notify::push_jobs {

using notifications::Key;

std::vector<std::optional<Notification>> find_unsent(pg::Tx& tx, std::span<Key const> keys)
{
    auto const rows = tx.run(pg::sql<notifications::columns, notifications::content_columns>(R"(
        SELECT k.place, {columns}, {content_columns}
        FROM unnest($1::bigint[], $2::uuid[]) WITH ORDINALITY AS k(scope_id, notification_id, place)
        CROSS JOIN LATERAL (
            SELECT *
            FROM notifications x
            WHERE x.scope_id = k.scope_id AND x.notification_id = k.notification_id
            LIMIT 1
        ) AS n)"),
        {scope_column(keys), id_column(keys)});
    std::vector<std::optional<Notification>> found(keys.size());
    for (auto const& row : rows) {
        pg::RowReader r(row);
        auto& slot = found[static_cast<std::size_t>(r.integer() - 1)];
        auto n = notifications::read_with_content(r);
        if (awaits_sending(n)) slot = std::move(n);
    }
    return found;
}

std::set<Key> without_job(pg::Tx& tx, std::span<Key const> keys)
{
    auto const queues = queues_of(Channel::push);
    return read_keys<Key>(tx.run(R"(
        SELECT k.scope_id, k.ref
        FROM unnest($1::bigint[], $2::uuid[]) AS k(scope_id, ref)
        WHERE NOT EXISTS (
            SELECT
            FROM jobs j
            WHERE j.scope_id = k.scope_id AND j.queue = ANY ($3::text[]) AND j.ref = k.ref
            OFFSET 0
        ))",
        {scope_column(keys), id_column(keys), std::vector<std::string>(queues.begin(), queues.end())}));
}

void enqueue(pg::Tx& tx, std::span<Key const> keys, std::span<std::vector<Carrier> const> carriers)
{
    std::vector<Key> all;
    std::vector<std::string_view> queues;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        for (auto const carrier : carriers[i]) {
            all.push_back(keys[i]);
            queues.push_back(push_queue_of(carrier));
        }
    }
    if (all.empty()) return;
    tx.run(R"(
        SELECT enqueue_jobs(queue, array_agg(scope_id), array_agg(ref), array_agg(NULL::timestamptz))
        FROM unnest($1::text[], $2::bigint[], $3::uuid[]) AS j(queue, scope_id, ref)
        GROUP BY queue
        ORDER BY queue)",
        {pg::column(queues, [](std::string_view queue) { return queue; }), scope_column(all),
            id_column(all)});
}

} // namespace notify::push_jobs
