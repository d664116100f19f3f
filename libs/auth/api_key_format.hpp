#pragma once

#include <cstddef>
#include <string>
#include <string_view>

/// The format of an API key: prefix (`fbk_`), 40 random base62 characters, and 6 base62 characters with the
/// CRC-32 of the preceding text including the prefix. With the checksum, mistyped and invented keys are
/// refused without a look-up, and secret scanners can recognise keys.
namespace auth::api_key_format {

inline constexpr std::size_t random_length = 40;
inline constexpr std::size_t checksum_length = 6;
/// The length of the part that records and logs show. This part identifies a key. The hidden rest is too long
/// to be guessed.
inline constexpr std::size_t shown_length = 12;

/// A new key with 238 random bits from the system's generator.
std::string generate(std::string_view prefix);

/// Whether `raw` is `prefix`, 40 base62 characters and their checksum. Allocates nothing.
bool is_well_formed(std::string_view raw, std::string_view prefix);

/// The part of a well-formed key that records and logs show. Points into `raw`.
inline std::string_view shown(std::string_view raw) noexcept
{
    return raw.substr(0, shown_length);
}

} // namespace auth::api_key_format
