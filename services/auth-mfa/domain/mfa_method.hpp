#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace auth_mfa {

/// The methods that POST /v1/auth/mfa/verify accepts. The enum's value is the index in
/// `mfa_methods`.
enum class MfaMethod : std::uint8_t { sms, totp, recovery_code };

inline constexpr std::array<std::string_view, 3> mfa_methods{"sms", "totp", "recovery_code"};

constexpr std::string_view to_string(MfaMethod method) noexcept
{
    return mfa_methods[static_cast<std::size_t>(method)];
}

} // namespace auth_mfa
