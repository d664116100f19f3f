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

} // namespace auth_mfa
