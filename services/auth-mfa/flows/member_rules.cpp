#include "flows/member_rules.hpp"

#include "core/error.hpp"
#include "storage/users.hpp"

namespace auth_mfa {

void require_may_act_on(Role role, core::Access caller)
{
    if (role == Role::owner && !core::allows(core::Access::owner | core::Access::master, caller))
        throw core::Error(core::codes::forbidden,
            "Only an owner or the operator can make or change an owner. Use an owner's access token.");
}

void require_other_owner(pg::Tx& tx, http::Request const& req, User const& member)
{
    if (member.role == Role::owner && member.status == UserStatus::active &&
        !users::has_other_owner(tx, req.scope(), member.id))
        throw core::Error(core::codes::conflict,
            "This user is the last owner of the environment. Give another user the role `owner` first.");
}

} // namespace auth_mfa
