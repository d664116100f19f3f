#pragma once

#include "core/enum_names.hpp"

#include <array>
#include <cstdint>
#include <string_view>

namespace auth_mfa {

using core::to_string;

/// The methods that POST /v1/auth/mfa/verify accepts.
enum class MfaMethod : std::uint8_t { sms, totp, recovery_code, passkey };

constexpr auto enum_names(MfaMethod)
{
    return std::to_array<std::string_view>({"sms", "totp", "recovery_code", "passkey"});
}

} // namespace auth_mfa
