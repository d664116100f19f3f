#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace auth_mfa {

// Limits of a new password, in code points of its Normalization Form C.
inline constexpr std::size_t min_password = 8;
inline constexpr std::size_t max_password = 128;

/// The least strength of a new password, in bits as `password_bits` estimates them.
inline constexpr double min_password_bits = 20;

/// The size in bytes of passwords that `password_bits` estimates in less than 0.3 ms, with any content.
/// A longer password may take about 20 ms: estimate it on a thread of crypto::PasswordHasher.
inline constexpr std::size_t quickly_estimated = 16;

/// Why a password is refused: the code and the detail of a FieldError.
struct PasswordFault {
    std::string_view code; ///< `same_as_email`, `same_as_current` or `too_weak`
    std::string_view detail;
};

/// Estimates the strength of a password of at least one character, in bits, with libzxcvbn. The parts of
/// `email` count as the first words that an attacker tries. `email` may be empty.
///
/// The result is libzxcvbn's for passwords of at most 32 bytes. The time that libzxcvbn takes grows with the
/// fifth power of the length of a walk over the keyboard: 100 digits take more than a second. So a longer
/// password is estimated by its strongest 32 bytes among the first 128, because a guess of the password is
/// also a guess of each part. If it repeats a unit of at most 16 bytes, some repetitions are estimated, and
/// their number adds its binary logarithm.
double password_bits(std::string const& password, std::string_view email = {});

/// The fault of a new password for the account with this email; nullopt if there is none. The password must
/// - differ from the email, and from the part of the email before `@`, also in the case of its letters,
/// - differ from `current`, the current password, unless `current` is null, and
/// - have at least `min_password_bits`.
/// `password` and `*current` are in Normalization Form C. An empty `email` matches no password.
std::optional<PasswordFault> password_fault(
    std::string const& password, std::string_view email, std::string const* current = nullptr);

/// The fault of a password of less than `min_password_bits`.
PasswordFault weak_password() noexcept;

} // namespace auth_mfa
