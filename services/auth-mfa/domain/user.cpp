#include "domain/user.hpp"

#include <algorithm>
#include <stdexcept>

namespace auth_mfa {

Role parse_role(std::string_view name)
{
    auto const it = std::ranges::find(roles, name);
    if (it == roles.end()) throw std::invalid_argument("not a role: " + std::string(name));
    return static_cast<Role>(it - roles.begin());
}

std::string lower_case(std::string_view text)
{
    std::string lower(text);
    for (char& c : lower)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return lower;
}

} // namespace auth_mfa
