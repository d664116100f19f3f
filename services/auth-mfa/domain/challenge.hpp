#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <string_view>

/// How many, how often and how long, of everything that is guessed or sent (interfaces.md B, Limits).
namespace auth_mfa {

inline constexpr std::chrono::minutes challenge_lifetime{5}; ///< both ends included
inline constexpr int challenge_sends = 3;                    ///< the automatic one included
inline constexpr int challenge_attempts = 5;

inline constexpr std::chrono::minutes enrolment_lifetime{10}; ///< both ends included
inline constexpr int enrolment_attempts = 5;

inline constexpr std::chrono::days device_lifetime{30};

/// At most `count` in any `window`.
struct Allowance {
    std::int64_t count = 0;
    std::chrono::milliseconds window{};
};

/// Wrong codes of an account, over all challenges, confirm and disable.
inline constexpr Allowance wrong_codes{20, std::chrono::hours(24)};
/// Wrong recovery codes of an account: counted apart, so that who uses up the others locks nobody out.
inline constexpr Allowance wrong_recovery_codes{10, std::chrono::hours(24)};
/// Codes sent to an account that signs in, and to one phone, over all tenants.
inline constexpr Allowance login_sends{10, std::chrono::hours(1)};
inline constexpr Allowance phone_login_sends{10, std::chrono::hours(1)};
/// Codes sent to enrol.
inline constexpr Allowance user_setup_sends{3, std::chrono::minutes(10)};
inline constexpr std::array phone_setup_sends{///< over all tenants
    Allowance{5, std::chrono::hours(1)}, Allowance{10, std::chrono::hours(24)}};
inline constexpr Allowance address_setup_sends{20, std::chrono::hours(1)};

/// Wrong passwords of an account, and from a network.
inline constexpr Allowance wrong_passwords{10, std::chrono::minutes(15)};
inline constexpr Allowance network_wrong_passwords{100, std::chrono::minutes(15)};
/// Registrations from a network, unless it is configured otherwise (REGISTRATIONS_PER_HOUR).
inline constexpr Allowance network_registrations{100, std::chrono::hours(1)};

/// What `verify` takes; an enum's number is its place in the list.
enum class Method : std::uint8_t { sms, totp, recovery_code };

inline constexpr std::array<std::string_view, 3> methods{"sms", "totp", "recovery_code"};

constexpr std::string_view to_string(Method method) noexcept
{
    return methods[static_cast<std::size_t>(method)];
}

} // namespace auth_mfa
