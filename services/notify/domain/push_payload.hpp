#pragma once

#include "core/clock.hpp"
#include "core/id.hpp"
#include "core/scope.hpp"
#include "domain/push_settings.hpp"

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

/// Maximum size of the plaintext of a Web Push message in bytes. A push service need not accept more than
/// 4,096 bytes, of which the encryption uses 103 (RFC 8030, 7.2; RFC 8291, 4).
inline constexpr std::size_t max_web_push_bytes = 3993;

/// How long a carrier keeps a push for a device that is offline, unless its options set `ttl_seconds`: four
/// weeks, the maximum of FCM.
inline constexpr std::chrono::seconds push_lifetime{max_ttl_seconds};

using PushData = std::span<std::pair<std::string, std::string> const>;

/// The content of a push, independent of the carrier. The views must stay valid until the message is
/// rendered.
struct PushMessage {
    core::Uuid id;                  ///< of the notification or broadcast
    bool broadcast = false;         ///< the data key of the id: `broadcastId` if true, else `notificationId`
    std::string_view title;         ///< may be empty
    std::string_view body;          ///< valid UTF-8, as all texts here
    PushData data;                  ///< the app's own values; no key may be reserved (`is_reserved_data_key`)
    core::Time created_at;          ///< creation or due time, whichever is later; the lifetime starts then
    std::string_view traceparent{}; ///< of the request that created the push; may be empty
    core::Scope scope{};            ///< the scope that sends the push
    PushSettings settings{};        ///< the options of the template and of the request, merged
};

/// A push rendered for any number of devices. FCM's body is `fcm_head`, the device's token (escaped for a
/// JSON string), and `fcm_tail` (https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages).
/// APNs' body and headers are the same for all devices
/// (https://developer.apple.com/documentation/usernotifications/generating-a-remote-notification,
/// https://developer.apple.com/documentation/usernotifications/sending-notification-requests-to-apns).
struct RenderedPush {
    core::Uuid id;
    /// A later push with the same collapse id replaces this one: the option `collapse_key`, else `id`.
    std::string collapse_id;
    std::string fcm_head, fcm_tail;
    std::string apns_body;
    std::string apns_expiration;                ///< Unix seconds; `0` if APNs may not store the push
    std::string_view apns_push_type = "alert";  ///< or `background`
    std::string_view apns_priority = "10";      ///< or `5`
    std::string web_payload;                    ///< the plaintext of a Web Push message, JSON
    std::int64_t ttl_seconds = max_ttl_seconds; ///< Web Push: the header `TTL` (RFC 8030, 5.2)
    std::string_view urgency = "high"; ///< Web Push: the header `Urgency` (RFC 8030, 5.3), or `normal`
    std::string topic;                 ///< Web Push: the header `Topic` (RFC 8030, 5.4)
    std::string traceparent;           ///< sent to all carriers unless it is empty
    core::Scope scope;                 ///< the scope that sends the push
    bool fcm_fits = true;              ///< whether the message is within `max_push_bytes` for FCM
    bool apns_fits = true;
    bool web_fits = true; ///< whether `web_payload` is within `max_web_push_bytes`
};

/// Renders a push. Throws std::invalid_argument if a key of `data` is reserved.
///
/// An option that is not set has this default: the lifetime is `push_lifetime`, the priority is `high`
/// (`normal` for a background push), the collapse id is the id, and APNs plays the sound `default`. The app
/// receives `image` and `link` as data, too.
///
/// A background push is shown by no system. The app receives its title, body and badge as data. Its sound and
/// channel are ignored. APNs requires the priority 5 for it. If `data` has a key of the same name, the app's
/// own value is sent.
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
