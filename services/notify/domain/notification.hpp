#pragma once

#include "core/clock.hpp"
#include "core/enum_names.hpp"
#include "core/id.hpp"
#include "domain/carrier.hpp"
#include "domain/push_settings.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace notify {

using core::to_string;

enum class Channel : std::uint8_t { email, push, sms };
enum class Status : std::uint8_t { queued, sent, delivered, opened, failed };

constexpr auto enum_names(Channel)
{
    return std::to_array<std::string_view>({"email", "push", "sms"});
}

constexpr auto enum_names(Status)
{
    return std::to_array<std::string_view>({"queued", "sent", "delivered", "opened", "failed"});
}

/// The queue (libs/jobs) that takes the notifications of this channel. A job's ref is the notification's id.
/// The worker of the queue of pushes sends nothing: it enqueues the push for the carriers of its user's
/// devices (`push_queue_of`).
constexpr std::string_view queue_of(Channel c) noexcept
{
    constexpr std::array<std::string_view, 3> queues{"notify.email", "notify.push", "notify.sms"};
    return queues[static_cast<std::size_t>(c)];
}

/// The queue of the pushes through one carrier. A job's ref is the notification's id.
constexpr std::string_view push_queue_of(Carrier carrier) noexcept
{
    constexpr std::array<std::string_view, 3> queues{
        "notify.push.fcm", "notify.push.apns", "notify.push.webpush"};
    return queues[static_cast<std::size_t>(carrier)];
}

/// All queues of notifications. The queues of pushes come last.
inline constexpr std::array<std::string_view, 6> notification_queues{queue_of(Channel::email),
    queue_of(Channel::sms), queue_of(Channel::push), push_queue_of(Carrier::fcm),
    push_queue_of(Carrier::apns), push_queue_of(Carrier::webpush)};

/// All queues that may hold a job of a notification of this channel.
constexpr std::span<std::string_view const> queues_of(Channel c) noexcept
{
    constexpr std::span all(notification_queues);
    switch (c) {
    case Channel::email:
        return all.first(1);
    case Channel::sms:
        return all.subspan(1, 1);
    case Channel::push:
        break;
    }
    return all.subspan(2);
}

/// Failure reasons of the service itself. A provider's reason is stored as received.
namespace failures {
inline constexpr std::string_view cancelled = "CANCELLED";
inline constexpr std::string_view no_devices = "NO_DEVICES";
} // namespace failures

/// The content to send, rendered when the notification was accepted.
struct Content {
    std::string subject; ///< of an email; the title of a push; empty for a text message
    std::string body;
    bool html = false;                                     ///< email: whether `body` is HTML
    std::vector<std::pair<std::string, std::string>> data; ///< push: the app's own values
    PushSettings push;                                     ///< push: the options
};

/// A notification. Times come from the service's clock, except `delivered_at` and `opened_at`: a recipient's
/// device may report these.
struct Notification {
    core::Uuid id;
    Channel channel{};
    std::string template_name;
    std::string to;  ///< email: the address; SMS: the number (E.164); push: the user's id
    Content content; ///< empty if the query did not read the content
    Status status = Status::queued;
    std::optional<std::string> failure_reason; ///< set while the status is `failed`
    std::int64_t attempts = 0;                 ///< since `queued_at`
    core::Time created_at;
    /// When the notification was accepted, or queued again by the last retry request. Each retry request
    /// stores a later value.
    core::Time queued_at;
    std::optional<core::Time> send_at, sent_at, delivered_at, opened_at, failed_at;
    std::optional<std::string> provider_id; ///< the provider's id; a push has one id per delivery instead
    std::optional<std::string> traceparent; ///< of the request that created the notification
    /// SMS: the attempt that has begun and has no outcome yet. The token is that of the lease of its job.
    std::optional<core::Uuid> attempt_token;

    /// When the first attempt is due. The retry window starts at this time.
    core::Time due_at() const noexcept { return send_at && *send_at > queued_at ? *send_at : queued_at; }
};

/// The state of a push at one device.
enum class DeliveryStatus : std::uint8_t { pending, sent, invalid, failed };

constexpr auto enum_names(DeliveryStatus)
{
    return std::to_array<std::string_view>({"pending", "sent", "invalid", "failed"});
}

/// The delivery of a push to one device. A push goes to the devices that its user has at the first attempt.
struct PushDelivery {
    std::int64_t device_id = 0;
    std::string token;
    DevicePlatform platform{};
    Carrier carrier{};
    DeliveryStatus status = DeliveryStatus::pending;
    std::int64_t attempts = 0;
    std::optional<std::string> reason; ///< why the last attempt that was not accepted failed
    std::optional<std::string> provider_id;
    core::Time updated_at;
};

/// A change of a notification's status, as shown in its history.
struct NotificationEvent {
    std::int64_t place = 0; ///< position in the history; 0 is the acceptance
    Status status{};
    core::Time at;
    std::optional<std::string> detail;
};

} // namespace notify
