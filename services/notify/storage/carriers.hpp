#pragma once

#include "pg/sql.hpp"

namespace notify::devices {

/// The carrier that reaches a row of `devices d`, as `carrier_of(Device)`. Only the files of this folder use
/// this header.
inline constexpr auto device_carrier = pg::sql(R"(
    CASE WHEN d.web_subscription IS NOT NULL THEN 'webpush' WHEN d.platform = 'ios' THEN 'apns' ELSE 'fcm' END)");

} // namespace notify::devices
