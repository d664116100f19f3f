#pragma once

#include <array>
#include <chrono>
#include <cstdint>

/// The limits on guesses and messages, and the lifetimes of challenges, enrolments and trusted devices.
namespace auth_mfa {

inline constexpr std::chrono::minutes challenge_lifetime{5}; ///< still valid at exactly this age
inline constexpr int challenge_sends = 3;    ///< codes sent per challenge, including the automatic one
inline constexpr int challenge_attempts = 5; ///< codes tried per challenge

inline constexpr std::chrono::minutes sms_enrolment_lifetime{10}; ///< still valid at exactly this age
inline constexpr int sms_enrolment_attempts = 5;                  ///< codes tried per enrolment

inline constexpr std::chrono::days trusted_device_lifetime{30};

/// At most `count` uses in any span of length `window`.
struct Limit {
    std::int64_t count = 0;
    std::chrono::milliseconds window{};
};

// The limits on wrong codes and wrong passwords apply to an account and one network, and to an account and
// one browser that the account trusts.

/// For an account over all networks, the limits are this number of times higher. Trusted browsers do not
/// count.
inline constexpr std::int64_t guesses_over_all_networks = 10;
/// Wrong SMS and TOTP codes, over all challenges and all other requests that check such a code.
inline constexpr Limit wrong_code_limit{20, std::chrono::hours(24)};
/// Wrong recovery codes. They are counted separately, so that an attacker who exhausts the limit of other
/// codes does not block the user's recovery codes.
inline constexpr Limit wrong_recovery_code_limit{10, std::chrono::hours(24)};
/// Wrong passwords.
inline constexpr Limit wrong_password_limit{10, std::chrono::minutes(15)};

/// Sign-in codes sent per account.
inline constexpr Limit sign_in_send_limit{10, std::chrono::hours(1)};
/// Sign-in codes sent per phone, over all tenants.
inline constexpr Limit sign_in_send_limit_per_phone{10, std::chrono::hours(1)};
/// Enrolment codes sent per user.
inline constexpr Limit enrolment_send_limit{3, std::chrono::minutes(10)};
/// Enrolment codes sent per phone, over all tenants.
inline constexpr std::array enrolment_send_limits_per_phone{
    Limit{5, std::chrono::hours(1)}, Limit{10, std::chrono::hours(24)}};
/// Enrolment codes requested per client network, over all tenants: per IPv4 address or IPv6 /64, and per /24
/// or /48. A mobile network has a /64 for each phone, so the phones of a /48 must not share the lower limit.
inline constexpr Limit enrolment_send_limit_per_network{20, std::chrono::hours(1)};
inline constexpr Limit enrolment_send_limit_per_wide_network{200, std::chrono::hours(1)};

/// Emails of one kind that may be requested per account: verifications, resets, changes of the address.
inline constexpr Limit mail_limit{3, std::chrono::hours(1)};
/// Emails that may be requested per network and scope without a credential.
inline constexpr Limit mail_limit_per_network{1000, std::chrono::hours(1)};
/// Invitations per scope: the sender's reputation is that of all tenants.
inline constexpr Limit invitation_limit{1000, std::chrono::hours(1)};

/// Challenges for passkeys per network and scope.
inline constexpr Limit passkey_challenge_limit_per_network{1000, std::chrono::minutes(5)};

/// Authorization requests per network and scope of browsers without a session, and pushed requests of public
/// clients and of forms. A stored request has up to 10 KiB.
inline constexpr Limit authorization_limit_per_network{1000, std::chrono::minutes(10)};
/// Authorization requests per signed-in user.
inline constexpr Limit authorization_limit_per_user{300, std::chrono::minutes(10)};
/// Pushed requests per confidential client.
inline constexpr Limit pushed_request_limit{6000, std::chrono::minutes(10)};
/// Refused authorization codes per network and scope.
inline constexpr Limit refused_code_limit_per_network{100, std::chrono::minutes(15)};

/// Wrong passwords per network and scope, over all accounts.
inline constexpr Limit wrong_password_limit_per_network{100, std::chrono::minutes(15)};
/// Refused authentications of OAuth clients per network and scope.
inline constexpr Limit refused_client_limit_per_network{100, std::chrono::minutes(15)};
/// Registrations per network and scope. The setting REGISTRATIONS_PER_HOUR replaces the count.
inline constexpr Limit registration_limit_per_network{100, std::chrono::hours(1)};

} // namespace auth_mfa
