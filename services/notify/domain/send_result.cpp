#include "domain/send_result.hpp"

#include "core/fields.hpp"
#include "core/text.hpp"

#include <algorithm>

namespace notify {

bool is_provider_id(std::string_view text) noexcept
{
    constexpr std::size_t most = 500;
    return !text.empty() && text.size() <= most &&
           std::ranges::all_of(text, [](char c) { return c > ' ' && c <= '~'; });
}

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
    reason.resize(core::whole_characters(reason, max_reason).size());
    return reason;
}

} // namespace notify
