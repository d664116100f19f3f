#pragma once

#include "core/clock.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// Time-based one-time passwords (RFC 6238) as authenticator apps have them: SHA-1, 6 digits, 30 s.
namespace auth_mfa::totp {

inline constexpr std::size_t seed_bytes = 20; ///< RFC 4226, 4: as long as the hash
inline constexpr std::int64_t step_seconds = 30;
inline constexpr std::int64_t never = -1; ///< before every step

/// The number of the step that `time` lies in.
std::int64_t step_at(core::Time time) noexcept;

/// The code of a step (RFC 4226, 5.3), with its leading zeros.
std::string code_at(std::string_view seed, std::int64_t step);

/// The step whose code this is: the one of `now`, the one before or the one after, and later than
/// `last_step`, the last that was used. nullopt when it is none of them. Takes the same time whichever it is.
std::optional<std::int64_t> match(
    std::string_view seed, std::string_view code, core::Time now, std::int64_t last_step);

/// `otpauth://totp/{brand}:{account}?secret=…&issuer={brand}&algorithm=SHA1&digits=6&period=30`, what the
/// QR code of an authenticator app holds (the Key URI format).
std::string key_uri(std::string_view seed, std::string_view brand, std::string_view account);

} // namespace auth_mfa::totp
