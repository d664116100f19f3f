#include "core/hex.hpp"

namespace core {

std::string hex::encode(std::string_view bytes)
{
    std::string text;
    text.reserve(bytes.size() * 2);
    for (char const c : bytes) {
        text += digits[static_cast<unsigned char>(c) >> 4];
        text += digits[static_cast<unsigned char>(c) & 15];
    }
    return text;
}

std::optional<std::string> hex::decode(std::string_view text)
{
    if (text.size() % 2 != 0) return std::nullopt;
    std::string bytes;
    bytes.reserve(text.size() / 2);
    for (std::size_t i = 0; i < text.size(); i += 2) {
        int const high = value(text[i]);
        int const low = value(text[i + 1]);
        if (high < 0 || low < 0) return std::nullopt;
        bytes += static_cast<char>(high * 16 + low);
    }
    return bytes;
}

} // namespace core
