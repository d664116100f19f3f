#pragma once

#include "core/clock.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace notify {

/// What a device runs. iOS is reached through APNs, the others through FCM (`carrier_of`).
enum class DevicePlatform : std::uint8_t { ios, android, web };

inline constexpr std::array<std::string_view, 3> device_platforms{"ios", "android", "web"};

constexpr std::string_view to_string(DevicePlatform p) noexcept
{
    return device_platforms[static_cast<std::size_t>(p)];
}

/// The value of that name. Throws std::invalid_argument: names come from the database or were validated.
DevicePlatform parse_device_platform(std::string_view name);

/// A device that pushes reach by its token, and whose it is.
struct Device {
    std::int64_t id = 0; ///< grows in the order of registration; stays when the token gets another user
    std::string token;
    std::string user_id;
    DevicePlatform platform{};
    core::Time created_at;
    core::Time updated_at; ///< when it was last registered, by the database's clock
};

/// Carriers call their tokens opaque and of no fixed length.
inline constexpr std::size_t max_device_token = 1'024;

/// Whether `token` is 1 to `max_device_token` visible ASCII characters: APNs' are hexadecimal, FCM's
/// base64url with colons.
bool is_device_token(std::string_view token) noexcept;

/// How many devices a user has: one more takes the place of the one that was registered longest ago.
inline constexpr std::size_t max_user_devices = 100;

inline constexpr std::size_t max_user_id = 128; ///< code points
inline constexpr std::string_view anonymous_prefix = "anon:";

/// Whether `id`, of 1 to `max_user_id` code points, names a user: any text, but behind `anon:` a UUID.
bool is_user_id(std::string_view id) noexcept;

} // namespace notify
