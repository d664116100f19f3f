#pragma once

#include "auth/tenant_urls.hpp"

namespace auth_mfa {

/// The service's public base URLs, which tokens contain as their issuer (`iss`).
using Issuer = auth::TenantUrls;

} // namespace auth_mfa
