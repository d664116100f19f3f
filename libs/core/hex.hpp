#pragma once

#include <optional>
#include <string>
#include <string_view>

/// Bytes as hexadecimal text (RFC 4648, 8).
namespace core::hex {

inline constexpr std::string_view digits = "0123456789abcdef";

/// The value of a digit in upper or lower case; -1 for other characters.
constexpr int value(char digit) noexcept
{
    if (digit >= '0' && digit <= '9') return digit - '0';
    if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
    if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
    return -1;
}

/// Writes the digits in lower case.
std::string encode(std::string_view bytes);

/// Accepts upper and lower case. Returns nullopt for other characters (including white space) and for an odd
/// length.
std::optional<std::string> decode(std::string_view text);

} // namespace core::hex
