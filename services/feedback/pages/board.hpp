#pragma once

#include "auth/tenant_url_pattern.hpp"
#include "pages/page_cache.hpp"

#include <string>

namespace feedback::pages {

/// The configuration and the cache of the board's pages. App owns it.
struct Board {
    std::string base_host;              ///< of this service, without a port
    auth::TenantUrlPattern sign_in_url; ///< of the auth hosts
    PageCache cache;
};

} // namespace feedback::pages
