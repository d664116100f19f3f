#include "storage/notification_rows.hpp"

namespace notify::notifications {

Notification read(pg::RowReader& r)
{
    Notification n;
    n.id = r.uuid();
    n.channel = parse_channel(r.view());
    n.template_name = r.text();
    n.to = r.text();
    n.status = parse_status(r.view());
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
    return n;
}

PushDelivery read_delivery(pg::RowReader& r)
{
    PushDelivery d;
    d.device_id = r.integer();
    d.token = r.text();
    d.platform = parse_device_platform(r.view());
    d.status = parse_delivery_status(r.view());
    d.attempts = r.integer();
    d.reason = r.optional_text();
    d.provider_id = r.optional_text();
    d.updated_at = r.time();
    return d;
}

} // namespace notify::notifications
