#include "api/user_export.hpp"

#include "crypto/encoding.hpp"
#include "domain/json.hpp"
#include "paging/cursor.hpp"
#include "storage/devices.hpp"
#include "storage/user_data.hpp"
#include "storage/web_subscriptions.hpp"

#include <optional>
#include <utility>
#include <vector>

namespace notify {

namespace {

void write_content(core::JsonWriter& w, user_rows::ExportedNotification const& row)
{
    auto const& content = row.notification.content;
    w.member("subject", content.subject)
        .member("body", content.body)
        .member("format", content.html ? "html" : "text")
        .member("providerId", row.notification.provider_id)
        .key("data");
    row.data_json ? w.raw(*row.data_json) : w.null();
    w.key("push");
    row.push_json ? w.raw(*row.push_json) : w.null();
}

void write_deliveries(core::JsonWriter& w, std::vector<PushDelivery> const& deliveries)
{
    w.key("deliveries").begin_array();
    for (auto const& delivery : deliveries) {
        begin_delivery(w, delivery);
        w.member("providerId", delivery.provider_id).end_object();
    }
    w.end_array();
}

void write_events(core::JsonWriter& w, std::vector<NotificationEvent> const& events)
{
    w.key("events").begin_array();
    for (auto const& event : events)
        write(w, event);
    w.end_array();
}

void write_files(core::JsonWriter& w, std::vector<notification_attachments::Row> const& files)
{
    w.key("attachments").begin_array();
    for (auto const& file : files) {
        w.begin_object()
            .member("attachmentId", file.upload ? std::optional(file.upload->attachment_id) : std::nullopt)
            .member("filename", file.filename)
            .member("contentType", file.content_type)
            .member("sizeBytes", file.size_bytes)
            .end_object();
    }
    w.end_array();
}

void write_subscription(core::JsonWriter& w, WebSubscription const* subscription)
{
    w.key("subscription");
    if (subscription == nullptr) {
        w.null();
        return;
    }
    w.begin_object()
        .member("endpoint", subscription->endpoint)
        .key("keys")
        .begin_object()
        .member("p256dh", crypto::base64url::encode(subscription->p256dh))
        .end_object()
        .end_object();
}

std::string to_json(user_rows::ExportedNotification const& row)
{
    core::JsonWriter w;
    begin_notification(w, row.notification);
    write_content(w, row);
    write_deliveries(w, row.deliveries);
    write_events(w, row.events);
    write_files(w, row.files);
    w.end_object();
    return std::move(w).str();
}

} // namespace

user_data::ExportPage export_devices(pg::Tx& tx, crypto::Keyring const& keyring, core::Scope const& scope,
    core::UserId const& user_id, std::string const& position)
{
    auto const rows = devices::list(tx, scope, user_id, paging::decode(position, 0), user_data::export_page);
    auto const to_json = [&](Device const& device) {
        core::JsonWriter w;
        begin_device(w, device);
        auto const web = web_subscriptions::open(
            keyring, scope.id, device.token, {device.sealed_subscription, device.web_key});
        write_subscription(w, web.get());
        w.end_object();
        return std::move(w).str();
    };
    return user_data::make_page("device", rows, to_json, devices::position_of);
}

user_data::ExportPage export_notifications(
    pg::Tx& tx, core::Scope const& scope, core::UserId const& user_id, std::string const& position)
{
    // A page can be cut at its size, so that only the page after the last row is known to be the last one.
    user_data::ExportPage page;
    for (auto const& row : user_rows::list_notifications(
             tx, scope, user_id, paging::decode(position, 0), user_data::export_page)) {
        page.add("notification", to_json(row));
        page.next = paging::encode(paging::ByCreation()(row.notification), 0);
    }
    return page;
}

} // namespace notify
