#pragma once

#include <optional>
#include <string_view>

namespace billing {

/// The text; nullopt if it is empty. For members of responses that are null if there is no text. The result
/// refers to `text`.
inline std::optional<std::string_view> text_or_null(std::string_view text) noexcept
{
    return text.empty() ? std::nullopt : std::optional(text);
}

} // namespace billing
