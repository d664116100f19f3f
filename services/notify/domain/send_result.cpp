#include "domain/send_result.hpp"

#include "core/fields.hpp"

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
    return core::first_line(text, max_reason);
}

} // namespace notify
