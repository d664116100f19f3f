#include "flows/ways_to_sign_in.hpp"

#include "domain/settings.hpp"
#include "storage/identities.hpp"
#include "storage/passkeys.hpp"
#include "tenancy/resolve.hpp"

#include <algorithm>

namespace auth_mfa {

bool can_sign_in(
    pg::Tx& tx, http::Request const& req, Deps const& deps, tenancy::Tenant const& tenant, User const& user)
{
    if (user.has_password()) return true;
    auto const environment = req.scope().environment();
    auto const rp_id = passkey_rp_id_of(tenant, environment, deps.hosts.base_host());
    auto const passkeys = passkeys::list(tx, req.scope(), user.id);
    if (std::ranges::find(passkeys, rp_id, &Passkey::rp_id) != passkeys.end()) return true;
    auto const providers = identity_providers_of(tenant, environment);
    return std::ranges::any_of(
        identities::list(tx, req.scope(), user.id), [&](LinkedIdentity const& identity) {
            return std::ranges::find(providers, identity.issuer, &IdentityProvider::issuer) !=
                   providers.end();
        });
}

} // namespace auth_mfa
