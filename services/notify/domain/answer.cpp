#include "domain/answer.hpp"

#include "core/fields.hpp"
#include "core/text.hpp"

#include <algorithm>

namespace notify {

namespace {

/// At most `limit` bytes of well-formed UTF-8, in whole characters.
std::string_view cut(std::string_view text, std::size_t limit)
{
    if (text.size() <= limit) return text;
    auto const continues = [&](std::size_t at) {
        return (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
    };
    while (limit > 0 && continues(limit))
        --limit;
    return text.substr(0, limit);
}

} // namespace

std::string reason_of(std::string_view text)
{
    text = core::trim(text);
    text = text.substr(0, text.find_first_of("\r\n"));
    std::string reason(text);
    bool const utf8 = core::is_utf8(reason);
    std::ranges::replace_if(
        reason,
        [utf8](char c) {
            auto const byte = static_cast<unsigned char>(c);
            return byte < 0x20 || byte == 0x7F || (!utf8 && byte >= 0x80);
        },
        '?');
    reason.resize(cut(reason, max_reason).size());
    return reason;
}

} // namespace notify
