#pragma once

#include "tenancy/tenant.hpp"

#include <boost/json/object.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace auth_mfa {

/// An OpenID provider whose id tokens users may sign in with.
struct IdentityProvider {
    static constexpr std::size_t max_issuer = 512; ///< bytes; limited because it is part of an index key

    std::string issuer;   ///< must equal `iss` exactly
    std::string audience; ///< `aud`: the client id of the tenant's app
    std::string jwks_url;
};

/// The setting `identityProviders` of one environment; empty when the setting is not set.
std::vector<IdentityProvider> identity_providers_of(
    tenancy::Tenant const& tenant, core::Environment environment);
/// The brand that messages and the hosted page name: the setting `brand`, or the tenant's display name if
/// that setting is not set.
std::string brand_of(tenancy::Tenant const& tenant, core::Environment environment);
/// The countries (ISO 3166-1 alpha-2) that messages may be sent to. An empty list allows all countries.
std::vector<std::string> sms_countries_of(tenancy::Tenant const& tenant, core::Environment environment);

} // namespace auth_mfa
