#pragma once

#include "core/enum_names.hpp"
#include "core/fields.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace notify {

using core::to_string;

/// How soon a device must receive a push. `normal` lets the device save energy.
enum class PushPriority : std::uint8_t { high, normal };

constexpr auto enum_names(PushPriority)
{
    return std::to_array<std::string_view>({"high", "normal"});
}

/// The options of a push: the field `push` of templates and of send requests. An option that is not set has
/// the default of `render_push`.
struct PushSettings {
    std::optional<std::int64_t> ttl_seconds; ///< 0 to `max_ttl_seconds`
    std::optional<PushPriority> priority;
    std::optional<std::string> collapse_key; ///< 1 to `max_collapse_key` visible ASCII characters
    std::optional<std::string> image;        ///< an https URL of at most `max_push_url` characters
    std::optional<std::string> link;         ///< an absolute URI of at most `max_push_url` characters
    std::optional<std::int64_t> badge;       ///< 0 to `max_badge`
    std::optional<std::string> sound;        ///< name of a sound of the app, or `default`
    std::optional<std::string> channel_id;   ///< Android's notification channel
    std::optional<bool> background;          ///< whether the app receives the push without showing it

    bool operator==(PushSettings const&) const = default;

    bool empty() const { return *this == PushSettings(); }
};

/// Four weeks, the maximum of FCM
/// (https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages#androidconfig).
inline constexpr std::int64_t max_ttl_seconds = std::int64_t{28} * 24 * 60 * 60;
/// APNs permits 64 bytes
/// (https://developer.apple.com/documentation/usernotifications/sending-notification-requests-to-apns).
inline constexpr std::size_t max_collapse_key = 64;
/// FCM's `notification_count` is a signed number of 32 bits.
inline constexpr std::int64_t max_badge = 2'147'483'647;
inline constexpr std::size_t max_push_url = 2'048; ///< in characters, which are ASCII
inline constexpr std::size_t max_push_name = 200;  ///< of a sound or a channel, in code points

/// Whether `link` opens in a browser, so that web push may use it: an https URL.
bool is_web_link(std::string_view link) noexcept;

/// Parses the field `push` of a body. Returns nullopt if the field is absent or null. Records all errors in
/// `f`, with pointers such as `/push/ttlSeconds`.
std::optional<PushSettings> parse_push_settings(core::Fields& f);

/// The options of a notification: each option of `send`, and the options of `base` that `send` does not set.
PushSettings merge(PushSettings base, PushSettings const& send);

/// An object with the options that are set, in the form that `parse_push_settings` reads.
std::string to_json(PushSettings const& settings);

/// The value of a column of options: the JSON, or nullopt (NULL) if no option is set.
std::optional<std::string> to_stored(PushSettings const& settings);

/// The inverse of `to_stored` and `to_json`. Throws boost::system::system_error if `stored` is not JSON.
PushSettings push_settings_of(std::optional<std::string> const& stored);

} // namespace notify
