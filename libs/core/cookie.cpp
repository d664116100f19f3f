#include "core/cookie.hpp"

#include <algorithm>

namespace core {

std::optional<std::string_view> find_cookie(std::string_view header, std::string_view name) noexcept
{
    while (!header.empty()) {
        std::string_view pair = header.substr(0, header.find(';'));
        header.remove_prefix(std::min(pair.size() + 1, header.size()));
        pair.remove_prefix(std::min(pair.find_first_not_of(' '), pair.size()));
        auto const equals = pair.find('=');
        if (equals != std::string_view::npos && pair.substr(0, equals) == name)
            return pair.substr(equals + 1);
    }
    return std::nullopt;
}

} // namespace core
