#include "domain/device.hpp"

#include "core/id.hpp"

#include <algorithm>

namespace notify {

bool is_device_token(std::string_view token) noexcept
{
    return !token.empty() && token.size() <= max_device_token &&
           std::ranges::all_of(token, [](char c) { return c > ' ' && c <= '~'; });
}

bool is_user_id(std::string_view id) noexcept
{
    return !id.starts_with(anonymous_prefix) ||
           core::Uuid::parse(id.substr(anonymous_prefix.size())).has_value();
}

} // namespace notify
