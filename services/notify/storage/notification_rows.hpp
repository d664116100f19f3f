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

/// The columns of `push_deliveries d` in the order of `read_delivery`.
inline constexpr auto delivery_columns = pg::sql(R"(
    d.device_id, d.token, d.platform, d.status, d.attempts, d.reason, d.provider_id, d.updated_at)");

/// Reads `columns`.
Notification read(pg::RowReader& r);

/// Reads `delivery_columns`.
PushDelivery read_delivery(pg::RowReader& r);

} // namespace notify::notifications
