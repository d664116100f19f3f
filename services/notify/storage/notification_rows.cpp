#include "storage/notification_rows.hpp"

#include <boost/json.hpp>

namespace notify::notifications {

namespace {

std::vector<std::pair<std::string, std::string>> read_data(std::optional<std::string> const& json)
{
    std::vector<std::pair<std::string, std::string>> data;
    if (!json) return data;
    boost::json::value const parsed = boost::json::parse(*json);
    for (auto const& [name, value] : parsed.as_object())
        data.emplace_back(name, value.as_string());
    return data;
}

} // namespace

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

Notification read_with_content(pg::RowReader& r)
{
    Notification n = read(r);
    n.content.subject = r.text();
    n.content.body = r.text();
    n.content.html = r.boolean();
    n.content.data = read_data(r.optional_text());
    n.content.push = push_settings_of(r.optional_text());
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
    d.carrier = r.one_of<Carrier>();
    return d;
}

} // namespace notify::notifications
