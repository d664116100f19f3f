#include "storage/notification_rows.hpp"

namespace notify::notifications {

Notification read(pg::RowReader& r)
{
    Notification n;
    n.id = r.uuid();
    n.channel = r.one_of<Channel>();
    n.template_name = r.text();
    n.to = r.text();
    n.status = r.one_of<Status>();
    n.failure_reason = r.optional_text();
    n.attempts = r.integer();
    n.created_at = r.time();
    n.queued_at = r.time();
    n.send_at = r.optional_time();
    n.sent_at = r.optional_time();
    n.delivered_at = r.optional_time();
    n.opened_at = r.optional_time();
    n.failed_at = r.optional_time();
    n.provider_id = r.optional_text();
    n.traceparent = r.optional_text();
    n.attempt_token = r.optional_uuid();
    return n;
}

PushDelivery read_delivery(pg::RowReader& r)
{
    PushDelivery d;
    d.device_id = r.integer();
    d.token = r.text();
    d.platform = r.one_of<DevicePlatform>();
    d.status = r.one_of<DeliveryStatus>();
    d.attempts = r.integer();
    d.reason = r.optional_text();
    d.provider_id = r.optional_text();
    d.updated_at = r.time();
    return d;
}

} // namespace notify::notifications
