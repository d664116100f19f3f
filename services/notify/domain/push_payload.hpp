#pragma once

#include "core/clock.hpp"
#include "core/id.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace notify {

/// How much a push may say: FCM of title, body and data, APNs of its whole payload.
inline constexpr std::size_t max_push_bytes = 4096;

/// How long a carrier keeps a push for a device that is away: four weeks, the longest that FCM allows.
inline constexpr std::chrono::hours push_lifetime{28 * 24};

using PushData = std::span<std::pair<std::string, std::string> const>;

/// What is pushed, whoever carries it. What it refers to lives until it is rendered.
struct PushMessage {
    core::Uuid id;                  ///< of the notification or broadcast: the collapse id
    bool broadcast = false;         ///< what the app finds the id under: `notificationId`, or `broadcastId`
    std::string_view title;         ///< may be empty
    std::string_view body;          ///< valid UTF-8, as everything here
    PushData data;                  ///< the app's own; no key that `is_reserved_data_key`
    core::Time created_at;          ///< or due, when that is later: what `push_lifetime` counts from
    std::string_view traceparent{}; ///< of the request that asked for it; may be empty
};

/// A push made ready for any number of devices. FCM's body is `fcm_head`, the device's token as the inside of
/// a JSON string, and `fcm_tail` (https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages);
/// APNs' body is the same for all
/// (https://developer.apple.com/documentation/usernotifications/generating-a-remote-notification).
struct RenderedPush {
    core::Uuid id;
    std::string collapse_id;
    std::string fcm_head, fcm_tail;
    std::string apns_body;
    std::string apns_expiration; ///< Unix seconds
    std::string traceparent;     ///< sent along to either carrier, unless it is empty
    bool fcm_fits = true;        ///< whether it is within `max_push_bytes`
    bool apns_fits = true;
};

/// Throws std::invalid_argument when a key of `data` is reserved.
RenderedPush render_push(PushMessage const& message);

/// Whether an app may not use `key` in `data`: FCM's own words (`from`, `message_type`, `collapse_key`, what
/// begins with `google` or `gcm`), APNs' `aps`, and ours.
bool is_reserved_data_key(std::string_view key) noexcept;

/// The name of the push of `id` to a device, the same at every repetition (`apns-id`): version 8 of RFC 9562
/// from a SHA-256 of both.
core::Uuid push_id(core::Uuid const& id, std::int64_t device_id);

/// `token` as the inside of a JSON string. Returns `token` itself when nothing needs an escape, else a view
/// of `space`.
std::string_view json_escaped(std::string_view token, std::string& space);

} // namespace notify
