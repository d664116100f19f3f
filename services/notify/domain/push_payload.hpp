#pragma once

#include "core/clock.hpp"
#include "core/id.hpp"
#include "core/scope.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace notify {

/// Maximum size of one push in bytes. For FCM the title, body and data count; for APNs the whole payload.
inline constexpr std::size_t max_push_bytes = 4096;

/// How long a carrier keeps a push for a device that is offline: four weeks, the maximum of FCM.
inline constexpr std::chrono::hours push_lifetime{28 * 24};

using PushData = std::span<std::pair<std::string, std::string> const>;

/// The content of a push, independent of the carrier. The views must stay valid until the message is
/// rendered.
struct PushMessage {
    core::Uuid id;                  ///< of the notification or broadcast; also the collapse id
    bool broadcast = false;         ///< the data key of the id: `broadcastId` if true, else `notificationId`
    std::string_view title;         ///< may be empty
    std::string_view body;          ///< valid UTF-8, as all texts here
    PushData data;                  ///< the app's own values; no key may be reserved (`is_reserved_data_key`)
    core::Time created_at;          ///< creation or due time, whichever is later; `push_lifetime` starts then
    std::string_view traceparent{}; ///< of the request that created the push; may be empty
    core::Scope scope{};            ///< the scope that sends the push
};

/// A push rendered for any number of devices. FCM's body is `fcm_head`, the device's token (escaped for a
/// JSON string), and `fcm_tail` (https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages).
/// APNs' body is the same for all devices
/// (https://developer.apple.com/documentation/usernotifications/generating-a-remote-notification).
struct RenderedPush {
    core::Uuid id;
    std::string collapse_id;
    std::string fcm_head, fcm_tail;
    std::string apns_body;
    std::string apns_expiration; ///< Unix seconds
    std::string traceparent;     ///< sent to both carriers unless it is empty
    core::Scope scope;           ///< the scope that sends the push
    bool fcm_fits = true;        ///< whether the message is within `max_push_bytes` for FCM
    bool apns_fits = true;
};

/// Renders a push. Throws std::invalid_argument if a key of `data` is reserved.
RenderedPush render_push(PushMessage const& message);

/// Whether `key` is reserved, so that `data` may not contain it: FCM's own keys (`from`, `message_type`,
/// `collapse_key`, and all keys that begin with `google` or `gcm`), APNs' `aps`, and the service's id keys.
bool is_reserved_data_key(std::string_view key) noexcept;

/// The id (`apns-id`) of the push of the notification or broadcast `id` to a device. The result depends only
/// on the parameters, so a repeated push has the same id. It is a UUID of version 8 (RFC 9562), made from a
/// SHA-256 of the parameters.
core::Uuid push_id(core::Uuid const& id, std::int64_t device_id);

/// Escapes `token` for use inside a JSON string. Returns `token` itself if it needs no escape, else a view of
/// `space`, where the escaped token is stored.
std::string_view json_escaped(std::string_view token, std::string& space);

} // namespace notify
