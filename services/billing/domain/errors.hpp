#pragma once

#include "core/error.hpp"

/// Error codes that only billing uses, in addition to the codes that all services share.
namespace billing::codes {

inline constexpr core::ErrorCode purchases_api_not_configured{"PURCHASES_API_NOT_CONFIGURED", 409};
inline constexpr core::ErrorCode payments_api_not_configured{"PAYMENTS_API_NOT_CONFIGURED", 409};
inline constexpr core::ErrorCode upstream_error{"UPSTREAM_ERROR", 502};

} // namespace billing::codes
