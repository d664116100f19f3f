#pragma once

#include "domain/notification.hpp"
#include "pg/row.hpp"
#include "pg/sql.hpp"

namespace notify::notifications {

/// The columns of `notifications n` in the order of `read`, for a SELECT list. Only the files of this folder
/// use this header.
inline constexpr auto columns = pg::sql(R"(
    n.notification_id, n.channel, n.template_name, n.recipient, n.status, n.failure_reason, n.attempts,
    n.created_at, n.queued_at, n.send_at, n.sent_at, n.delivered_at, n.opened_at, n.failed_at,
    n.provider_id, n.traceparent, n.attempt_token)");

/// The carrier of a row of `push_deliveries d`. Rows of an earlier version have no carrier.
inline constexpr auto delivery_carrier =
    pg::sql("coalesce(d.carrier, CASE d.platform WHEN 'ios' THEN 'apns' ELSE 'fcm' END)");

/// The columns of `push_deliveries d` in the order of `read_delivery`.
inline constexpr auto delivery_columns = pg::sql<delivery_carrier>(R"(
    d.device_id, d.token, d.platform, d.status, d.attempts, d.reason, d.provider_id, d.updated_at,
    {delivery_carrier} AS carrier)");

/// Further columns of `notifications n`: the content, in the order of `read_with_content`.
inline constexpr auto content_columns = pg::sql("n.subject, n.body, n.html, n.data, n.push");

/// Reads `columns`.
Notification read(pg::RowReader& r);

/// Reads `columns` and then `content_columns`.
Notification read_with_content(pg::RowReader& r);

/// Reads `delivery_columns`.
PushDelivery read_delivery(pg::RowReader& r);

} // namespace notify::notifications
