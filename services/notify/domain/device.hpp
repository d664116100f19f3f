#pragma once

#include "core/clock.hpp"
#include "core/enum_names.hpp"
#include "core/user_id.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace notify {

using core::to_string;

/// The system of a device. `carrier_of` tells which carrier reaches a device by its token.
enum class DevicePlatform : std::uint8_t { ios, android, web };

constexpr auto enum_names(DevicePlatform)
{
    return std::to_array<std::string_view>({"ios", "android", "web"});
}

/// A registered device: the token that pushes are sent to, and the user who owns the device.
struct Device {
    std::int64_t id = 0; ///< ascends in the order of registration; unchanged if the token gets another user
    std::string token;
    core::UserId user_id;
    DevicePlatform platform{};
    core::Time created_at;
    core::Time updated_at; ///< when the device was last registered, by the database's clock
    /// The subscription of a web device that Web Push reaches, sealed (storage/web_subscriptions.hpp).
    std::optional<std::string> sealed_subscription{};
    std::optional<std::string> web_key{}; ///< WebSubscription::vapid_key; set if there is a subscription
};

/// Maximum length of a token in bytes. The carriers do not document a fixed length of their tokens.
inline constexpr std::size_t max_device_token = 1'024;

/// Whether `token` is 1 to `max_device_token` visible ASCII characters. APNs' tokens are hexadecimal, and
/// FCM's tokens are base64url with colons.
bool is_device_token(std::string_view token) noexcept;

/// Maximum number of devices per user. A further registration removes the device that was registered longest
/// ago.
inline constexpr std::size_t max_user_devices = 100;

inline constexpr std::size_t max_user_id = 128; ///< code points
inline constexpr std::string_view anonymous_prefix = "anon:";

/// Whether `id` is a valid user id. Any text is valid, but after the prefix `anon:` there must be a UUID.
/// Precondition: `id` has 1 to `max_user_id` code points.
bool is_user_id(std::string_view id) noexcept;

} // namespace notify
