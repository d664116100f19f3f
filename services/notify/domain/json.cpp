#include "domain/json.hpp"

namespace notify {

void begin_device(core::JsonWriter& w, Device const& d)
{
    w.begin_object()
        .member("userId", d.user_id)
        .member("token", d.token)
        .member("platform", to_string(d.platform))
        .member("createdAt", d.created_at)
        .member("updatedAt", d.updated_at);
}

void write(core::JsonWriter& w, Device const& d)
{
    begin_device(w, d);
    w.end_object();
}

void begin_notification(core::JsonWriter& w, Notification const& n)
{
    w.begin_object()
        .member("notificationId", n.id.to_string())
        .member("status", to_string(n.status))
        .member("channel", to_string(n.channel))
        .member("templateName", n.template_name)
        .member("to", n.to)
        .member("createdAt", n.created_at)
        .member("sendAt", n.send_at)
        .member("sentAt", n.sent_at)
        .member("deliveredAt", n.delivered_at)
        .member("openedAt", n.opened_at)
        .member("failedAt", n.failed_at)
        .member("failureReason", n.failure_reason)
        .member("attempts", n.attempts);
}

void write(core::JsonWriter& w, Notification const& n)
{
    begin_notification(w, n);
    w.end_object();
}

std::string to_json(Notification const& n)
{
    core::JsonWriter w;
    write(w, n);
    return std::move(w).str();
}

void write(core::JsonWriter& w, NotificationEvent const& event)
{
    w.begin_object()
        .member("status", to_string(event.status))
        .member("at", event.at)
        .member("detail", event.detail)
        .end_object();
}

void begin_delivery(core::JsonWriter& w, PushDelivery const& d)
{
    w.begin_object()
        .member("token", d.token)
        .member("platform", to_string(d.platform))
        .member("status", to_string(d.status))
        .member("attempts", d.attempts)
        .member("reason", d.reason)
        .member("updatedAt", d.updated_at);
}

void begin_broadcast(core::JsonWriter& w, Broadcast const& b)
{
    w.begin_object()
        .member("broadcastId", b.id.to_string())
        .member("status", to_string(b.status))
        .member("templateName", b.template_name)
        .member("channel", to_string(Channel::push))
        .member("dedupeKey", b.dedupe_key)
        .member("enqueuedDevices", b.enqueued)
        .member("sentCount", b.settled.sent)
        .member("failedCount", b.settled.failed)
        .member("invalidTokenCount", b.settled.invalid)
        .member("createdAt", b.created_at)
        .member("startedAt", b.started_at)
        .member("fannedOutAt", b.fanned_out_at)
        .member("completedAt", b.completed_at)
        .member("cancelledAt", b.cancelled_at);
}

void write(core::JsonWriter& w, Broadcast const& b)
{
    begin_broadcast(w, b);
    w.end_object();
}

std::string to_json(Broadcast const& b)
{
    core::JsonWriter w;
    write(w, b);
    return std::move(w).str();
}

} // namespace notify
