#include "storage/notifications.hpp"

#include "auth/erased_user_rows.hpp"
#include "pg/row.hpp"
#include "pg/sql.hpp"
#include "storage/carriers.hpp"
#include "storage/keys.hpp"
#include "storage/notification_rows.hpp"

#include <boost/json.hpp>

#include <map>
#include <tuple>

namespace notify::notifications {

namespace {

using Data = std::vector<std::pair<std::string, std::string>>;

std::optional<std::string> to_json(Data const& data)
{
    if (data.empty()) return std::nullopt;
    boost::json::object object;
    for (auto const& [name, value] : data)
        object[name] = value;
    return boost::json::serialize(object);
}

// The queue names equal `push_queue_of(carrier)` and `queue_of(channel)`. A push that is due now is enqueued
// for the carriers of its user's devices. If there are several, its deliveries are inserted now, so that they
// are shown together.
constexpr auto insert_sql = pg::sql<auth::erased_user_rows::is_erased, devices::device_carrier>(R"(
    WITH accepted AS (
        INSERT INTO notifications (
            scope_id, notification_id, channel, template_name, recipient, subject, body, html, data,
            push, send_at, traceparent, queued_at, created_at
        )
        SELECT w.scope_id, w.notification_id, w.channel, w.template_name,
            CASE WHEN user_is.erased THEN 'deleted:' || w.notification_id ELSE w.recipient END,
            CASE WHEN user_is.erased THEN '' ELSE w.subject END,
            CASE WHEN user_is.erased THEN '' ELSE w.body END,
            w.html,
            CASE WHEN user_is.erased THEN NULL ELSE w.data END,
            CASE WHEN user_is.erased THEN NULL ELSE w.push END,
            w.send_at, w.traceparent, w.queued_at, clock_timestamp()
        FROM unnest(
            $1::bigint[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
            $8::boolean[], $9::json[], $10::json[], $11::timestamptz[], $12::text[], $13::timestamptz[]
        ) AS w(
            scope_id, notification_id, channel, template_name, recipient, subject, body, html, data, push,
            send_at, traceparent, queued_at
        )
        CROSS JOIN LATERAL (
            SELECT w.channel = 'push' AND {is_erased} AS erased
            FROM (VALUES (w.scope_id, w.recipient)) AS u(scope_id, user_id)
            LIMIT 1
        ) AS user_is
        WHERE w.scope_id = ANY (string_to_array(current_setting('app.scopes'), ',')::bigint[])
        RETURNING scope_id, notification_id, channel, created_at, send_at, recipient
    ),
    pushes AS MATERIALIZED (
        SELECT a.scope_id, a.notification_id, d.device_id, d.token, d.platform, {device_carrier} AS carrier,
            a.created_at
        FROM accepted a
        CROSS JOIN LATERAL (
            SELECT *
            FROM devices x
            WHERE x.scope_id = a.scope_id AND x.user_id = a.recipient
            ORDER BY x.updated_at DESC
            LIMIT 100
        ) AS d
        WHERE a.channel = 'push' AND a.send_at IS NULL
    ),
    planned AS (
        INSERT INTO push_deliveries (
            scope_id, notification_id, device_id, token, platform, carrier, updated_at
        )
        SELECT *
        FROM pushes
        WHERE notification_id IN (
            SELECT notification_id
            FROM pushes
            GROUP BY notification_id
            HAVING min(carrier) < max(carrier)
        )
    ),
    enqueued AS MATERIALIZED (
        SELECT enqueue_jobs(
            'notify.' || a.channel || coalesce('.' || c.carrier, ''), array_agg(a.scope_id),
            array_agg(a.notification_id), array_agg(a.send_at)
        ) AS jobs
        FROM accepted a
        LEFT JOIN (SELECT DISTINCT notification_id, carrier FROM pushes) AS c
            ON c.notification_id = a.notification_id
        GROUP BY a.channel, c.carrier
    )
    SELECT notification_id, created_at, recipient, (SELECT sum(jobs) FROM enqueued)
    FROM accepted)");

std::vector<pg::Param> insert_params(std::span<NewNotification const> rows)
{
    auto const column = [rows](auto member) {
        return pg::column(rows, [&](NewNotification const& row) { return member(row.notification); });
    };
    return {
        pg::column(rows, [](NewNotification const& row) { return row.scope_id; }),
        column([](Notification const& n) { return n.id; }),
        column([](Notification const& n) { return to_string(n.channel); }),
        column([](Notification const& n) { return std::string_view(n.template_name); }),
        column([](Notification const& n) { return std::string_view(n.to); }),
        column([](Notification const& n) { return std::string_view(n.content.subject); }),
        column([](Notification const& n) { return std::string_view(n.content.body); }),
        column([](Notification const& n) { return n.content.html; }),
        column([](Notification const& n) { return to_json(n.content.data); }),
        column([](Notification const& n) { return to_stored(n.content.push); }),
        column([](Notification const& n) { return n.send_at; }),
        column([](Notification const& n) { return n.traceparent; }),
        column([](Notification const& n) { return n.queued_at; }),
    };
}

Inserted read_inserted(pg::RowReader& r)
{
    core::Time const created_at = r.time();
    return {created_at, r.text()};
}

constexpr auto shown_sql = pg::sql<columns, delivery_columns>(R"(
    SELECT k.place, {columns}, {delivery_columns}
    FROM unnest($1::bigint[], $2::uuid[]) WITH ORDINALITY AS k(scope_id, notification_id, place)
    CROSS JOIN LATERAL (
        SELECT *
        FROM notifications x
        WHERE x.scope_id = k.scope_id AND x.notification_id = k.notification_id
        LIMIT 1
    ) AS n
    LEFT JOIN LATERAL (
        SELECT *
        FROM push_deliveries x
        WHERE n.channel = 'push' AND x.scope_id = k.scope_id AND x.notification_id = k.notification_id
    ) AS d
        ON true
    ORDER BY k.place, d.device_id)");

/// Each row holds a notification with one of its deliveries, or with no delivery.
template <class Result> std::vector<std::optional<Shown>> read_shown(Result const& result, std::size_t count)
{
    std::vector<std::optional<Shown>> found(count);
    for (auto const& row : result) {
        pg::RowReader r(row);
        auto& slot = found[static_cast<std::size_t>(r.integer() - 1)];
        Notification n = read(r);
        if (!slot) slot.emplace(Shown{std::move(n), {}});
        if (!r.is_null()) slot->deliveries.push_back(read_delivery(r));
    }
    return found;
}

std::vector<pg::Param> shown_params(std::span<Key const> keys)
{
    return {scope_column(keys), id_column(keys)};
}

} // namespace

Inserted insert(pg::Tx& tx, NewNotification const& row)
{
    pg::lock_scope(tx, row.scope_id);
    auto const result = tx.run(insert_sql, insert_params({&row, 1}));
    pg::RowReader r(result[0], 1);
    return read_inserted(r);
}

pg::Batch<Inserted> insert_batch(pg::BatchConnection& connection, std::span<NewNotification const> rows)
{
    auto const result =
        co_await connection.run_with_scope_locks(pg::scopes_of(rows), insert_sql, insert_params(rows));
    std::map<core::Uuid, Inserted> by_id;
    for (auto const row : result) {
        pg::RowReader r(row);
        core::Uuid const id = r.uuid();
        by_id.emplace(id, read_inserted(r));
    }
    std::vector<Inserted> inserted;
    inserted.reserve(rows.size());
    for (auto const& row : rows)
        inserted.push_back(std::move(by_id.at(row.notification.id)));
    co_return inserted;
}

pg::Batch<std::optional<Shown>> get_batch(pg::BatchConnection& connection, std::span<Key const> keys)
{
    auto const result = co_await connection.run(pg::scopes_of(keys), shown_sql, shown_params(keys));
    co_return read_shown(result, keys.size());
}

std::optional<Shown> get(pg::Tx& tx, core::Scope const& scope, core::Uuid id)
{
    Key const key{scope.id, id};
    return read_shown(tx.run(shown_sql, shown_params({&key, 1})), 1).front();
}

pg::Batch<std::vector<Notification>> list_batch(
    pg::BatchConnection& connection, std::span<PlainPage const> pages)
{
    std::vector<pg::Param> const params{pg::column(pages, [](PlainPage const& p) { return p.scope_id; }),
        pg::column(pages, [](PlainPage const& p) { return paging::time_of(p.after); }),
        pg::column(pages, [](PlainPage const& p) { return paging::id_of(p.after); }),
        pg::column(pages, [](PlainPage const& p) { return p.limit; })};
    static constexpr auto sql = pg::sql<columns>(R"(
        SELECT k.place, {columns}
        FROM unnest($1::bigint[], $2::timestamptz[], $3::uuid[], $4::bigint[]) WITH ORDINALITY AS k(
            scope_id, at, id, page_limit, place
        )
        CROSS JOIN LATERAL (
            SELECT *
            FROM notifications x
            WHERE x.scope_id = k.scope_id AND (x.created_at, x.notification_id) < (k.at, k.id)
            ORDER BY x.created_at DESC, x.notification_id DESC
            LIMIT k.page_limit
        ) AS n)");
    auto const result = co_await connection.run(pg::scopes_of(pages), sql, params);
    std::vector<std::vector<Notification>> lists(pages.size());
    for (auto const row : result) {
        pg::RowReader r(row);
        auto const place = static_cast<std::size_t>(r.integer() - 1);
        if (lists[place].empty()) lists[place].reserve(pages[place].limit);
        lists[place].push_back(read(r));
    }
    // The join keeps the order of each page in practice, but SQL does not guarantee it.
    auto const newer = [](Notification const& a, Notification const& b) {
        return std::tie(a.created_at, a.id) > std::tie(b.created_at, b.id);
    };
    for (auto& items : lists) {
        if (!std::ranges::is_sorted(items, newer)) std::ranges::sort(items, newer);
    }
    co_return lists;
}

std::vector<Notification> list(pg::Tx& tx, core::Scope const& scope, NotificationFilter const& filter,
    std::optional<paging::Position> const& after, std::size_t limit)
{
    std::string sql(pg::sql<columns>(R"(
        SELECT {columns}
        FROM notifications n
        WHERE n.scope_id = $1 AND (n.created_at, n.notification_id) < ($2::timestamptz, $3::uuid))"));
    pg::ParamList params{scope.id, paging::time_of(after), paging::id_of(after), limit};
    if (filter.status) sql += " AND n.status = " + params.add(to_string(*filter.status));
    if (filter.channel) sql += " AND n.channel = " + params.add(to_string(*filter.channel));
    if (filter.to.size() == 1) sql += " AND n.recipient = " + params.add(filter.to.front());
    if (filter.to.size() > 1) sql += " AND n.recipient = ANY (" + params.add(filter.to) + "::text[])";
    if (filter.created_after)
        sql += " AND n.created_at >= " + params.add(core::next_millisecond(*filter.created_after));
    sql += " ORDER BY n.created_at DESC, n.notification_id DESC LIMIT $4::bigint";
    return pg::read_rows(tx.run(sql, params), read);
}

std::optional<Notification> find(pg::Tx& tx, core::ScopeId scope_id, core::Uuid id)
{
    auto const result = tx.run(pg::sql<columns, content_columns>(R"(
        SELECT {columns}, {content_columns}
        FROM notifications n
        WHERE n.scope_id = $1 AND n.notification_id = $2)"),
        {scope_id, id});
    return pg::read_first(result, read_with_content);
}

std::vector<NotificationEvent> list_events(
    pg::Tx& tx, core::Scope const& scope, core::Uuid id, std::int64_t before, std::size_t limit)
{
    auto const result = tx.run(R"(
        SELECT place, status, at, detail
        FROM (
            SELECT 0 AS place, 'queued' AS status, created_at AS at, NULL AS detail
            FROM notifications
            WHERE scope_id = $1 AND notification_id = $2
            UNION ALL
            SELECT place, status, at, detail
            FROM notification_events
            WHERE scope_id = $1 AND notification_id = $2
        ) AS events
        WHERE place < $3::bigint
        ORDER BY place DESC
        LIMIT $4::bigint)",
        {scope.id, id, before, limit});
    return pg::read_rows(result, [](pg::RowReader& r) {
        NotificationEvent event;
        event.place = r.integer();
        event.status = r.one_of<Status>();
        event.at = r.time();
        event.detail = r.optional_text();
        return event;
    });
}

} // namespace notify::notifications
