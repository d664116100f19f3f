#pragma once

#include "core/error.hpp"

/// Error codes that only notify uses. The codes that all services share are in core::codes.
namespace notify::codes {

inline constexpr core::ErrorCode template_not_found{"TEMPLATE_NOT_FOUND", 404};
inline constexpr core::ErrorCode template_not_push{"TEMPLATE_NOT_PUSH", 400};
inline constexpr core::ErrorCode push_channel_disabled{"PUSH_CHANNEL_DISABLED", 409};

} // namespace notify::codes
