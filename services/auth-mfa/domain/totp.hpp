#pragma once

#include "core/clock.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// Time-based one-time passwords (RFC 6238) as authenticator apps implement them: SHA-1, 6 digits, 30 s.
namespace auth_mfa::totp {

inline constexpr std::size_t seed_bytes = 20; ///< the length of a SHA-1 hash (RFC 4226, 4)
inline constexpr std::int64_t step_seconds = 30;
inline constexpr std::int64_t never = -1; ///< smaller than every step

/// The number of the time step that contains `time`.
std::int64_t step_at(core::Time time) noexcept;

/// The code of a step (RFC 4226, 5.3), with its leading zeros.
std::string code_at(std::string_view seed, std::int64_t step);

/// The time step whose code equals `code`; nullopt if there is none. The step of `now`, the previous step and
/// the next step are compared. A step that is not later than `last_step`, the last used step, does not match.
/// The duration does not depend on the result.
std::optional<std::int64_t> match(
    std::string_view seed, std::string_view code, core::Time now, std::int64_t last_step);

/// `otpauth://totp/{brand}:{account}?secret=…&issuer={brand}&algorithm=SHA1&digits=6&period=30`: the content
/// of the QR code for authenticator apps (the Key URI format).
std::string key_uri(std::string_view seed, std::string_view brand, std::string_view account);

/// As key_uri, for a seed in Base32.
std::string key_uri_of_secret(std::string_view secret, std::string_view brand, std::string_view account);

/// Whether `text` can be the Base32 form of a seed.
bool is_secret(std::string_view text);

} // namespace auth_mfa::totp
