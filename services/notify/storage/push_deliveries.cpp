#include "storage/push_deliveries.hpp"

#include "domain/device.hpp"
#include "pg/row.hpp"
#include "storage/notification_rows.hpp"

namespace notify::push_deliveries {

namespace {

Target read(pg::RowReader& r)
{
    Target t;
    t.delivery = notifications::read_delivery(r);
    t.registered_at = r.optional_time();
    return t;
}

} // namespace

std::vector<Target> targets(
    pg::Tx& tx, core::ScopeId scope_id, core::Uuid const& notification_id, core::UserId const& user_id)
{
    auto const rows = tx.run(pg::sql<notifications::delivery_columns>(R"(
        WITH begun AS (
            SELECT {delivery_columns}, x.updated_at AS registered_at
            FROM push_deliveries d
            LEFT JOIN devices x ON x.scope_id = $1 AND x.device_id = d.device_id AND x.user_id = $3
            WHERE d.scope_id = $1 AND d.notification_id = $2)
        SELECT * FROM begun
        UNION ALL (
            SELECT d.device_id, d.token, d.platform, 'pending', 0, NULL, NULL, d.updated_at, d.updated_at
            FROM devices d
            WHERE d.scope_id = $1 AND d.user_id = $3 AND NOT EXISTS (SELECT FROM begun)
            ORDER BY d.updated_at DESC LIMIT $4::bigint)
        ORDER BY device_id)"),
        {scope_id, notification_id, user_id, max_user_devices});
    return pg::read_rows(rows, read);
}

void write(pg::Tx& tx, core::ScopeId scope_id, core::Uuid const& notification_id,
    std::span<PushDelivery const> deliveries)
{
    if (deliveries.empty()) return;
    std::vector<pg::Param> const params{scope_id, notification_id,
        pg::column(deliveries, [](PushDelivery const& d) { return d.device_id; }),
        pg::column(deliveries, [](PushDelivery const& d) { return std::string_view(d.token); }),
        pg::column(deliveries, [](PushDelivery const& d) { return to_string(d.platform); }),
        pg::column(deliveries, [](PushDelivery const& d) { return to_string(d.status); }),
        pg::column(deliveries, [](PushDelivery const& d) { return d.attempts; }),
        pg::column(deliveries, [](PushDelivery const& d) { return d.reason; }),
        pg::column(deliveries, [](PushDelivery const& d) { return d.provider_id; }),
        pg::column(deliveries, [](PushDelivery const& d) { return d.updated_at; })};
    tx.run(R"(
        INSERT INTO push_deliveries
            (scope_id, notification_id, device_id, token, platform, status, attempts, reason, provider_id, updated_at)
        SELECT $1::bigint, $2::uuid, * FROM unnest($3::bigint[], $4::text[], $5::text[], $6::text[], $7::integer[], $8::text[],
                                     $9::text[], $10::timestamptz[])
        ON CONFLICT (scope_id, notification_id, device_id) DO UPDATE
        SET status = excluded.status, attempts = excluded.attempts, reason = excluded.reason,
            provider_id = excluded.provider_id, updated_at = excluded.updated_at)",
        params);
}

void fail_pending(pg::Tx& tx, core::ScopeId scope_id, core::Uuid const& notification_id,
    std::string_view reason, core::Time now)
{
    tx.run(R"(
        UPDATE push_deliveries
        SET status = 'failed', reason = $3, updated_at = $4
        WHERE scope_id = $1 AND notification_id = $2 AND status = 'pending')",
        {scope_id, notification_id, reason, now});
}

std::vector<core::Uuid> list_waiting(
    pg::Tx& tx, core::ScopeId scope_id, Carrier carrier, core::Uuid const& after, std::size_t limit)
{
    auto const rows = tx.run(
        R"(
        SELECT DISTINCT notification_id
        FROM push_deliveries
        WHERE scope_id = $1 AND notification_id > $2 AND status = 'pending' AND (platform = 'ios') = $3
        ORDER BY notification_id
        LIMIT $4)",
        {scope_id, after, carrier == Carrier::apns, limit});
    return pg::read_rows(rows, &pg::RowReader::uuid);
}

} // namespace notify::push_deliveries
