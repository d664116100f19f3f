#pragma once

#include "domain/notification.hpp"
#include "pg/row.hpp"

namespace notify::notifications {

/// The columns of `notifications n` that `read` reads, for a SELECT list. For the files of this folder.
#define NOTIFICATION_COLUMNS                                                                                 \
    "n.notification_id, n.channel, n.template_name, n.recipient, n.status, n.failure_reason, n.attempts, "   \
    "n.created_at, n.queued_at, n.send_at, n.sent_at, n.delivered_at, n.opened_at, n.failed_at, "            \
    "n.provider_id, n.traceparent"

/// Reads NOTIFICATION_COLUMNS.
Notification read(pg::RowReader& r);

/// The same of `push_deliveries d`.
#define DELIVERY_COLUMNS                                                                                     \
    "d.device_id, d.token, d.platform, d.status, d.attempts, d.reason, d.provider_id, d.updated_at"

/// Reads DELIVERY_COLUMNS.
PushDelivery read_delivery(pg::RowReader& r);

} // namespace notify::notifications
