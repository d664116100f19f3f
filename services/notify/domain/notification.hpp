#pragma once

#include "core/clock.hpp"
#include "core/id.hpp"
#include "domain/device.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace notify {

/// Values as interfaces.md names them; an enum's number is its place in the list.
enum class Channel : std::uint8_t { email, push, sms };
enum class Status : std::uint8_t { queued, sent, delivered, opened, failed };

inline constexpr std::array<std::string_view, 3> channels{"email", "push", "sms"};
inline constexpr std::array<std::string_view, 5> statuses{"queued", "sent", "delivered", "opened", "failed"};

constexpr std::string_view to_string(Channel c) noexcept
{
    return channels[static_cast<std::size_t>(c)];
}

constexpr std::string_view to_string(Status s) noexcept
{
    return statuses[static_cast<std::size_t>(s)];
}

/// The value of that name. Throws std::invalid_argument: names come from the database or were validated.
Channel parse_channel(std::string_view name);
Status parse_status(std::string_view name);

/// The queue (libs/jobs) whose workers send notifications of a channel; a job's ref is the notification's id.
constexpr std::string_view queue_of(Channel c) noexcept
{
    constexpr std::array<std::string_view, 3> queues{"notify.email", "notify.push", "notify.sms"};
    return queues[static_cast<std::size_t>(c)];
}

/// Why a notification failed, where it was us who decided; a provider's own reason is kept as it came.
namespace failures {
inline constexpr std::string_view cancelled = "CANCELLED";
inline constexpr std::string_view no_devices = "NO_DEVICES";
} // namespace failures

/// What is sent, as it was rendered when the notification was accepted.
struct Content {
    std::string subject; ///< of an email; the title of a push; empty for a text message
    std::string body;
    bool html = false;                                     ///< email: whether `body` is HTML
    std::vector<std::pair<std::string, std::string>> data; ///< push: the app's own values
};

/// A notification. Times are those of the service, but for `delivered_at` and `opened_at`, which may be told
/// by the recipient's device.
struct Notification {
    core::Uuid id;
    Channel channel{};
    std::string template_name;
    std::string to;  ///< email: the address; SMS: the number (E.164); push: the user's id
    Content content; ///< empty where a read says that it leaves it out
    Status status = Status::queued;
    std::optional<std::string> failure_reason; ///< set while `failed`
    std::int64_t attempts = 0;                 ///< since `queued_at`
    core::Time created_at;
    core::Time queued_at; ///< when it was accepted or, later, told to be tried anew: differs each time
    std::optional<core::Time> send_at, sent_at, delivered_at, opened_at, failed_at;
    std::optional<std::string>
        provider_id; ///< the provider's name for it; of a push, each delivery has its own
    std::optional<std::string> traceparent; ///< of the request that asked for it

    /// When its first attempt is due: what retries count their hour from.
    core::Time due_at() const noexcept { return send_at && *send_at > queued_at ? *send_at : queued_at; }
};

/// What became of a push at one device.
enum class DeliveryStatus : std::uint8_t { pending, sent, invalid, failed };

inline constexpr std::array<std::string_view, 4> delivery_statuses{"pending", "sent", "invalid", "failed"};

constexpr std::string_view to_string(DeliveryStatus s) noexcept
{
    return delivery_statuses[static_cast<std::size_t>(s)];
}

/// The value of that name. Throws std::invalid_argument.
DeliveryStatus parse_delivery_status(std::string_view name);

/// A push on its way to one of its user's devices, which are those the user had at the first attempt.
struct PushDelivery {
    std::int64_t device_id = 0;
    std::string token;
    DevicePlatform platform{};
    DeliveryStatus status = DeliveryStatus::pending;
    std::int64_t attempts = 0;
    std::optional<std::string> reason; ///< the provider's, of the last attempt that was not accepted
    std::optional<std::string> provider_id;
    core::Time updated_at;
};

/// A move of a notification's status, as its history shows it.
struct Event {
    std::int64_t place = 0; ///< 0 is the acceptance
    Status status{};
    core::Time at;
    std::optional<std::string> detail;
};

} // namespace notify
