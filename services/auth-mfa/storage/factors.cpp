#include "storage/factors.hpp"

#include "storage/passkeys.hpp"
#include "storage/recovery_codes.hpp"
#include "storage/totp_seeds.hpp"
#include "storage/trusted_devices.hpp"
#include "storage/users.hpp"

namespace auth_mfa::factors {

void remove_all(pg::Tx& tx, core::Scope const& scope, User const& user)
{
    users::set_phone(tx, scope, user.id, user.phone, users::PhoneProof::none);
    totp_seeds::remove(tx, scope, user.id);
    passkeys::remove_all(tx, scope, user.id);
    recovery_codes::remove_all(tx, scope, user.id);
    trusted_devices::revoke_all(tx, scope, user.id);
}

} // namespace auth_mfa::factors
