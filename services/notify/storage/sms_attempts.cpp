#include "storage/sms_attempts.hpp"

#include "pg/row.hpp"
#include "pg/sql.hpp"
#include "storage/keys.hpp"
#include "storage/notification_rows.hpp"
#include "storage/suppressions.hpp"

#include <vector>

namespace notify::sms_attempts {

pg::Batch<std::optional<Message>> load_batch(
    pg::BatchConnection& connection, std::span<notifications::Key const> keys)
{
    std::vector<pg::Param> const params{scope_column(keys), id_column(keys)};
    static constexpr auto sql =
        pg::sql<notifications::columns, suppressions::is_suppressed, suppressions::hash_of_recipient>(R"(
        SELECT k.place, {columns}, n.body, {is_suppressed}
        FROM unnest($1::bigint[], $2::uuid[]) WITH ORDINALITY AS k(scope_id, notification_id, place)
        CROSS JOIN LATERAL (
            SELECT *, {hash_of_recipient} AS recipient_hash
            FROM notifications x
            WHERE x.scope_id = k.scope_id AND x.notification_id = k.notification_id
            LIMIT 1
        ) AS n)");
    auto const result = co_await connection.run(pg::scopes_of(keys), sql, params);
    co_return pg::read_in_input_order(result, keys.size(), [](pg::RowReader& r) {
        Message message{.notification = notifications::read(r)};
        message.notification.content.body = r.text();
        message.suppressed = r.boolean();
        return message;
    });
}

pg::Batch<bool> begin_batch(pg::BatchConnection& connection, std::span<Attempt const> attempts)
{
    std::vector<pg::Param> const params{pg::column(attempts, [](Attempt const& a) { return a.scope_id; }),
        pg::column(attempts, [](Attempt const& a) { return a.id; }),
        pg::column(attempts, [](Attempt const& a) { return a.queued_at; }),
        pg::column(attempts, [](Attempt const& a) { return a.token; })};
    // The queue name equals `queue_of(Channel::sms)`.
    auto const result = co_await connection.run(pg::scopes_of(attempts), R"(
        UPDATE notifications n
        SET attempt_token = a.token
        FROM unnest($1::bigint[], $2::uuid[], $3::timestamptz[], $4::uuid[]) WITH ORDINALITY AS a(
            scope_id, notification_id, queued_at, token, place
        )
        CROSS JOIN LATERAL (
            SELECT
            FROM jobs j
            WHERE j.scope_id = a.scope_id AND j.queue = 'notify.sms' AND j.ref = a.notification_id
                AND j.lease_owner = a.token AND j.run_at > jobs_now()
            LIMIT 1
        ) AS lease
        WHERE n.scope_id = a.scope_id AND n.notification_id = a.notification_id
            AND n.queued_at = a.queued_at AND n.status = 'queued'
            AND (n.attempt_token IS NULL OR n.attempt_token = a.token)
        RETURNING a.place)",
        params);
    std::vector<bool> begun(attempts.size());
    for (auto const row : result)
        begun[static_cast<std::size_t>(pg::RowReader(row).integer() - 1)] = true;
    co_return begun;
}

} // namespace notify::sms_attempts
