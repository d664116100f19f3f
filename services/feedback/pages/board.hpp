#pragma once

#include "core/scope.hpp"
#include "core/thread_pool.hpp"
#include "pages/page_cache.hpp"

#include <string>

namespace feedback::pages {

/// The configuration and the cache of the board's pages. App owns it.
struct Board {
    std::string base_host;   ///< of this service, without a port
    std::string sign_in_url; ///< of the auth hosts; `{tenant}` stands for the label of the tenant's host
    PageCache cache;

    /// The origin of the scope's auth host, such as `https://demo-sandbox.auth.example.com`.
    std::string auth_origin(core::Scope const& scope) const;
};

} // namespace feedback::pages
