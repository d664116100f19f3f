#pragma once

#include "core/enum_names.hpp"
#include "domain/device.hpp"

#include <array>
#include <cstdint>
#include <string_view>

namespace notify {

/// The push carriers. FCM reaches Android devices and web devices with a token, APNs reaches iOS devices, and
/// Web Push reaches web devices with a subscription.
enum class Carrier : std::uint8_t { fcm, apns, webpush };

constexpr auto enum_names(Carrier)
{
    return std::to_array<std::string_view>({"fcm", "apns", "webpush"});
}

/// The carrier that reaches devices of a platform by their token.
constexpr Carrier carrier_of(DevicePlatform platform) noexcept
{
    return platform == DevicePlatform::ios ? Carrier::apns : Carrier::fcm;
}

/// The carrier that reaches a device.
inline Carrier carrier_of(Device const& device) noexcept
{
    return device.sealed_subscription ? Carrier::webpush : carrier_of(device.platform);
}

} // namespace notify
