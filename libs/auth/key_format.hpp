#pragma once

#include <cstddef>
#include <string>
#include <string_view>

/// How an API key is written: prefix (`fbk_`), 40 random base62 characters, and 6 characters base62 of the
/// CRC-32 of all that precedes, prefix included. The checksum lets a mistyped or invented key be refused
/// without a look-up, and lets secret scanners tell a key from noise.
namespace auth::key_format {

inline constexpr std::size_t random_length = 40;
inline constexpr std::size_t checksum_length = 6;
/// How much of a key its record shows: enough to tell keys apart, of no use for guessing the rest.
inline constexpr std::size_t shown_length = 12;

/// A new key with 238 random bits from the system's generator.
std::string generate(std::string_view prefix);

/// Whether `raw` is `prefix`, 40 base62 characters and their checksum. Allocates nothing.
bool is_well_formed(std::string_view raw, std::string_view prefix);

/// What records and logs show of a well-formed key. Points into `raw`.
inline std::string_view shown(std::string_view raw) noexcept
{
    return raw.substr(0, shown_length);
}

} // namespace auth::key_format
