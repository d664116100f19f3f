#include "storage/factors.hpp"

#include "storage/recovery_codes.hpp"
#include "storage/totp.hpp"
#include "storage/trusted_devices.hpp"
#include "storage/users.hpp"

namespace auth_mfa::factors {

void remove_all(pg::Tx& tx, core::Scope const& scope, core::Uuid user_id)
{
    auto const user = users::lock(tx, scope, user_id);
    if (!user) return;
    users::set_phone(tx, scope, user_id, user->phone, false);
    totps::remove(tx, scope, user_id);
    recovery_codes::remove_all(tx, scope, user_id);
    trusted_devices::revoke_all(tx, scope, user_id);
}

} // namespace auth_mfa::factors
