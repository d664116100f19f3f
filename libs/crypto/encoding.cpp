#include "crypto/encoding.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace crypto {

namespace {

constexpr std::uint8_t none = 0xff;

using Values = std::array<std::uint8_t, 256>;

constexpr Values values_of(std::string_view alphabet)
{
    Values values{};
    values.fill(none);
    for (std::size_t i = 0; i < alphabet.size(); ++i)
        values[static_cast<unsigned char>(alphabet[i])] = static_cast<std::uint8_t>(i);
    return values;
}

constexpr std::string_view standard = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view for_urls = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr Values standard_values = values_of(standard);
constexpr Values url_values = values_of(for_urls);

/// Encodes `width` bits per character, without padding.
template <unsigned width> std::string encode_bits(std::string_view bytes, std::string_view alphabet)
{
    constexpr std::uint32_t mask = (1U << width) - 1;
    std::string text;
    text.reserve((bytes.size() * 8 + width - 1) / width + 2);
    std::uint32_t held = 0;
    unsigned bits = 0;
    for (char const c : bytes) {
        held = held << 8 | static_cast<unsigned char>(c);
        for (bits += 8; bits >= width; bits -= width)
            text += alphabet[held >> (bits - width) & mask];
    }
    if (bits > 0) text += alphabet[held << (width - bits) & mask];
    return text;
}

/// Decodes base64 or base64url without padding.
std::optional<std::string> decode_64(std::string_view text, Values const& values)
{
    if (text.size() % 4 == 1) return std::nullopt;
    std::string bytes;
    bytes.reserve(text.size() / 4 * 3 + 2);
    std::uint32_t held = 0;
    unsigned bits = 0;
    for (char const c : text) {
        std::uint8_t const value = values[static_cast<unsigned char>(c)];
        if (value == none) return std::nullopt;
        held = held << 6 | value;
        bits += 6;
        if (bits < 8) continue;
        bits -= 8;
        bytes += static_cast<char>(held >> bits & 0xff);
    }
    if ((held & ((1U << bits) - 1)) != 0) return std::nullopt;
    return bytes;
}

} // namespace

std::string base64::encode(std::string_view bytes)
{
    std::string text = encode_bits<6>(bytes, standard);
    text.append((4 - text.size() % 4) % 4, '=');
    return text;
}

std::optional<std::string> base64::decode(std::string_view text)
{
    if (text.size() % 4 != 0) return std::nullopt;
    for (int i = 0; i < 2 && text.ends_with('='); ++i)
        text.remove_suffix(1);
    return decode_64(text, standard_values);
}

std::string base64url::encode(std::string_view bytes)
{
    return encode_bits<6>(bytes, for_urls);
}

std::optional<std::string> base64url::decode(std::string_view text)
{
    return decode_64(text, url_values);
}

std::string base32::encode(std::string_view bytes)
{
    return encode_bits<5>(bytes, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567");
}

} // namespace crypto
