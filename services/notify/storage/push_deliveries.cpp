#include "storage/push_deliveries.hpp"

#include "domain/device.hpp"
#include "pg/row.hpp"
#include "storage/carriers.hpp"
#include "storage/keys.hpp"
#include "storage/notification_rows.hpp"

namespace notify::push_deliveries {

namespace {

Target read(pg::RowReader& r)
{
    Target t;
    t.delivery = notifications::read_delivery(r);
    t.registered_at = r.optional_time();
    t.sealed_subscription = r.optional_text();
    t.web_key = r.optional_text();
    return t;
}

pg::Param scopes_of(std::span<Push const> pushes)
{
    return pg::column(pushes, [](Push const& p) { return p.key.scope_id; });
}

pg::Param users_of(std::span<Push const> pushes)
{
    return pg::column(pushes, [](Push const& p) { return p.user_id; });
}

/// The results of a statement whose first column is the place of a push, from 1.
template <class Item, class Read>
std::vector<std::vector<Item>> by_place(pg::Rows const& rows, std::size_t count, Read read_item)
{
    std::vector<std::vector<Item>> found(count);
    for (auto const& row : rows) {
        pg::RowReader r(row);
        auto& items = found[static_cast<std::size_t>(r.integer() - 1)];
        items.push_back(read_item(r));
    }
    return found;
}

} // namespace

std::vector<std::vector<Target>> targets(pg::Tx& tx, Carrier carrier, std::span<Push const> pushes)
{
    // Each LIMIT removes no row that is needed. It tells the planner that there are few rows, so that it
    // reads them through an index.
    static constexpr auto sql =
        pg::sql<notifications::delivery_columns, notifications::delivery_carrier, devices::device_carrier>(R"(
        WITH pushes AS MATERIALIZED (
            SELECT *
            FROM unnest($1::bigint[], $2::uuid[], $3::text[]) WITH ORDINALITY
                AS p(scope_id, notification_id, user_id, place)
        ),
        begun AS MATERIALIZED (
            SELECT p.place, {delivery_columns}, x.updated_at AS registered_at, x.web_subscription, x.web_key
            FROM pushes p
            CROSS JOIN LATERAL (
                SELECT *
                FROM push_deliveries y
                WHERE y.scope_id = p.scope_id AND y.notification_id = p.notification_id
                LIMIT 1000
            ) AS d
            LEFT JOIN LATERAL (
                SELECT *
                FROM devices y
                WHERE y.scope_id = p.scope_id AND y.device_id = d.device_id AND y.user_id = p.user_id
                LIMIT 1
            ) AS x
                ON true
            WHERE {delivery_carrier} = $4
        )
        SELECT *
        FROM begun
        UNION ALL
        SELECT p.place, d.device_id, d.token, d.platform, 'pending', 0, NULL, NULL, d.updated_at, $4,
            d.updated_at, d.web_subscription, d.web_key
        FROM pushes p
        CROSS JOIN LATERAL (
            SELECT *
            FROM devices y
            WHERE y.scope_id = p.scope_id AND y.user_id = p.user_id
            ORDER BY y.updated_at DESC
            LIMIT $5::bigint
        ) AS d
        WHERE {device_carrier} = $4 AND NOT EXISTS (SELECT FROM begun b WHERE b.place = p.place)
        ORDER BY place, device_id)");
    auto const rows =
        tx.run(sql, {scopes_of(pushes), pg::column(pushes, [](Push const& p) { return pg::Param(p.key.id); }),
                        users_of(pushes), to_string(carrier), max_user_devices});
    return by_place<Target>(rows, pushes.size(), read);
}

std::vector<std::vector<Carrier>> carriers(pg::Tx& tx, std::span<Push const> pushes)
{
    static constexpr auto sql = pg::sql<devices::device_carrier, notifications::delivery_carrier>(R"(
        SELECT p.place, d.carrier
        FROM unnest($1::bigint[], $2::text[], $3::uuid[]) WITH ORDINALITY
            AS p(scope_id, user_id, notification_id, place)
        CROSS JOIN LATERAL (
            SELECT {device_carrier} AS carrier
            FROM devices d
            WHERE d.scope_id = p.scope_id AND d.user_id = p.user_id
            UNION
            SELECT {delivery_carrier}
            FROM push_deliveries d
            WHERE d.scope_id = p.scope_id AND d.notification_id = p.notification_id AND d.status = 'pending'
        ) AS d)");
    auto const rows = tx.run(sql, {scopes_of(pushes), users_of(pushes),
                                      pg::column(pushes, [](Push const& p) { return pg::Param(p.key.id); })});
    return by_place<Carrier>(rows, pushes.size(), [](pg::RowReader& r) { return r.one_of<Carrier>(); });
}

void plan(pg::Tx& tx, std::span<Push const> pushes)
{
    if (pushes.empty()) return;
    static constexpr auto sql = pg::sql<devices::device_carrier>(R"(
        INSERT INTO push_deliveries (
            scope_id, notification_id, device_id, token, platform, carrier, updated_at
        )
        SELECT p.scope_id, p.notification_id, d.device_id, d.token, d.platform, {device_carrier}, now()
        FROM unnest($1::bigint[], $2::uuid[], $3::text[]) AS p(scope_id, notification_id, user_id)
        CROSS JOIN LATERAL (
            SELECT *
            FROM devices x
            WHERE x.scope_id = p.scope_id AND x.user_id = p.user_id
            ORDER BY x.updated_at DESC
            LIMIT $4::bigint
        ) AS d
        ON CONFLICT (scope_id, notification_id, device_id) DO NOTHING)");
    tx.run(sql, {scopes_of(pushes), pg::column(pushes, [](Push const& p) { return pg::Param(p.key.id); }),
                    users_of(pushes), max_user_devices});
}

void write(pg::Tx& tx, std::span<Change const> changes)
{
    if (changes.empty()) return;
    auto const column = [changes](auto member) {
        return pg::column(changes, [&](Change const& c) { return member(*c.delivery); });
    };
    std::vector<pg::Param> const params{pg::column(changes, [](Change const& c) { return c.key.scope_id; }),
        pg::column(changes, [](Change const& c) { return pg::Param(c.key.id); }),
        column([](PushDelivery const& d) { return d.device_id; }),
        column([](PushDelivery const& d) { return std::string_view(d.token); }),
        column([](PushDelivery const& d) { return to_string(d.platform); }),
        column([](PushDelivery const& d) { return to_string(d.carrier); }),
        column([](PushDelivery const& d) { return to_string(d.status); }),
        column([](PushDelivery const& d) { return d.attempts; }),
        column([](PushDelivery const& d) { return d.reason; }),
        column([](PushDelivery const& d) { return d.provider_id; }),
        column([](PushDelivery const& d) { return d.updated_at; })};
    tx.run(R"(
        INSERT INTO push_deliveries (
            scope_id, notification_id, device_id, token, platform, carrier, status, attempts, reason,
            provider_id, updated_at
        )
        SELECT *
        FROM unnest(
            $1::bigint[], $2::uuid[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[],
            $8::integer[], $9::text[], $10::text[], $11::timestamptz[]
        )
        ON CONFLICT (scope_id, notification_id, device_id) DO UPDATE
        SET status = excluded.status, attempts = excluded.attempts, reason = excluded.reason,
            provider_id = excluded.provider_id, updated_at = excluded.updated_at)",
        params);
}

void fail_pending(
    pg::Tx& tx, std::span<notifications::Key const> keys, std::string_view reason, core::Time now)
{
    if (keys.empty()) return;
    tx.run(R"(
        UPDATE push_deliveries d
        SET status = 'failed', reason = $3, updated_at = $4
        FROM unnest($1::bigint[], $2::uuid[]) AS k(scope_id, notification_id)
        WHERE d.scope_id = k.scope_id AND d.notification_id = k.notification_id AND d.status = 'pending')",
        {scope_column(keys), id_column(keys), reason, now});
}

void fail_pending(pg::Tx& tx, core::ScopeId scope_id, core::Uuid const& notification_id,
    std::string_view reason, core::Time now)
{
    notifications::Key const key{scope_id, notification_id};
    fail_pending(tx, {&key, 1}, reason, now);
}

std::vector<core::Uuid> list_waiting(
    pg::Tx& tx, core::ScopeId scope_id, Carrier carrier, core::Uuid const& after, std::size_t limit)
{
    auto const rows = tx.run(pg::sql<notifications::delivery_carrier>(R"(
        SELECT DISTINCT d.notification_id
        FROM push_deliveries d
        WHERE d.scope_id = $1 AND d.notification_id > $2 AND d.status = 'pending'
            AND {delivery_carrier} = $3
        ORDER BY d.notification_id
        LIMIT $4)"),
        {scope_id, after, to_string(carrier), limit});
    return pg::read_rows(rows, &pg::RowReader::uuid);
}

} // namespace notify::push_deliveries
