#include "mail/media_type.hpp"

#include <algorithm>

namespace mail {

namespace {

bool is_alphanumeric(char c) noexcept
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_restricted_name(std::string_view text) noexcept
{
    constexpr std::string_view marks = "!#$&-^_.+";
    auto const allowed = [&](char c) {
        return is_alphanumeric(c) || marks.find(c) != std::string_view::npos;
    };
    return !text.empty() && text.size() <= 127 && is_alphanumeric(text.front()) &&
           std::ranges::all_of(text, allowed);
}

} // namespace

bool is_bare_media_type(std::string_view text) noexcept
{
    auto const slash = text.find('/');
    return slash != std::string_view::npos && is_restricted_name(text.substr(0, slash)) &&
           is_restricted_name(text.substr(slash + 1));
}

} // namespace mail
