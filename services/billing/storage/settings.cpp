#include "storage/settings.hpp"

#include "tenancy/settings.hpp"

namespace billing::settings {

AccessSettings read_access_settings(pg::Tx& tx, core::Scope const& scope)
{
    return access_settings(tenancy::settings::read(tx, scope.production()).document);
}

std::size_t reencrypt(pg::Tx& tx, core::Scope const& scope, crypto::Keyring const& keyring)
{
    // Does not touch a tenant without secrets, because read_for_update would create a missing row.
    if (scope.environment() != core::Environment::production) return 0;
    if (!has_secrets(tenancy::settings::read(tx, scope).document)) return 0;
    auto before = tenancy::settings::read_for_update(tx, scope);
    auto const changed = reencrypt_secrets(before.document, scope.tenant_id(), keyring);
    // The time of the last change stays, because no setting changed for the tenant.
    if (changed > 0)
        tenancy::settings::write(tx, scope, before.document, before.version, before.updated_at.value());
    return changed;
}

} // namespace billing::settings
