#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <string_view>

/// The limits of guessing and sending, and the lifetimes of challenges, enrolments and trusted devices.
namespace auth_mfa {

inline constexpr std::chrono::minutes challenge_lifetime{5}; ///< still valid at exactly this age
inline constexpr int challenge_sends = 3;    ///< codes sent per challenge, including the automatic one
inline constexpr int challenge_attempts = 5; ///< codes tried per challenge

inline constexpr std::chrono::minutes enrolment_lifetime{10}; ///< still valid at exactly this age
inline constexpr int enrolment_attempts = 5;                  ///< codes tried per enrolment of a phone

inline constexpr std::chrono::days device_lifetime{30};

/// At most `count` uses in any span of length `window`.
struct Allowance {
    std::int64_t count = 0;
    std::chrono::milliseconds window{};
};

/// Wrong SMS and TOTP codes per account, over all challenges and all other requests that check such a code.
inline constexpr Allowance wrong_codes{20, std::chrono::hours(24)};
/// Wrong recovery codes per account. They have their own budget, so that an attacker who exhausts the budget
/// of other codes does not block the user's recovery codes.
inline constexpr Allowance wrong_recovery_codes{10, std::chrono::hours(24)};
/// Sign-in codes sent per account.
inline constexpr Allowance login_sends{10, std::chrono::hours(1)};
/// Sign-in codes sent per phone, over all tenants.
inline constexpr Allowance phone_login_sends{10, std::chrono::hours(1)};
/// Enrolment codes sent per user.
inline constexpr Allowance user_setup_sends{3, std::chrono::minutes(10)};
/// Enrolment codes sent per phone, over all tenants.
inline constexpr std::array phone_setup_sends{
    Allowance{5, std::chrono::hours(1)}, Allowance{10, std::chrono::hours(24)}};
/// Enrolment codes requested per client network, over all tenants.
inline constexpr Allowance address_setup_sends{20, std::chrono::hours(1)};

/// Wrong passwords per account.
inline constexpr Allowance wrong_passwords{10, std::chrono::minutes(15)};
/// Wrong passwords per network and scope.
inline constexpr Allowance network_wrong_passwords{100, std::chrono::minutes(15)};
/// Registrations per network and scope. The setting REGISTRATIONS_PER_HOUR replaces the count.
inline constexpr Allowance network_registrations{100, std::chrono::hours(1)};

/// The methods that POST /v1/auth/mfa/verify accepts. The enum's value is the index in `methods`.
enum class Method : std::uint8_t { sms, totp, recovery_code };

inline constexpr std::array<std::string_view, 3> methods{"sms", "totp", "recovery_code"};

constexpr std::string_view to_string(Method method) noexcept
{
    return methods[static_cast<std::size_t>(method)];
}

} // namespace auth_mfa
