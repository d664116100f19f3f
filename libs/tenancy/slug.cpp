#include "tenancy/slug.hpp"

#include <algorithm>
#include <array>

namespace tenancy {

namespace {

constexpr std::array<std::string_view, 9> reserved{
    "www", "api", "admin", "auth", "feedback", "notify", "billing", "static", "docs"};

bool is_alphanumeric(char c) noexcept
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

} // namespace

bool is_slug(std::string_view text) noexcept
{
    if (text.empty() || text.size() > max_slug_length) return false;
    if (!is_alphanumeric(text.front()) || !is_alphanumeric(text.back())) return false;
    if (!std::all_of(text.begin(), text.end(), [](char c) { return is_alphanumeric(c) || c == '-'; }))
        return false;
    if (text.ends_with(sandbox_suffix)) return false;
    return std::find(reserved.begin(), reserved.end(), text) == reserved.end();
}

} // namespace tenancy
