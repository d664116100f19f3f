#pragma once

#include "tenancy/tenant.hpp"

#include <boost/json/object.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace auth_mfa {

/// An OpenID provider whose id tokens sign in.
struct IdentityProvider {
    static constexpr std::size_t max_issuer = 512; ///< bytes: it is part of an index's key

    std::string issuer;   ///< `iss`, character for character
    std::string audience; ///< `aud`: the client id the tokens are for
    std::string jwks_url;
};

/// What a tenant chose for one environment.
std::vector<IdentityProvider> identity_providers_of(
    tenancy::Tenant const& tenant, core::Environment environment);
/// Named in messages and on the hosted page: the tenant's display name unless one was chosen.
std::string brand_of(tenancy::Tenant const& tenant, core::Environment environment);
/// Countries (ISO 3166-1 alpha-2) that messages may go to; empty: all.
std::vector<std::string> sms_countries_of(tenancy::Tenant const& tenant, core::Environment environment);

} // namespace auth_mfa
