#pragma once

#include "deps.hpp"

#include <memory>
#include <string_view>

namespace auth_mfa {

/// The tenant with that slug and its settings, from the directory's cache. Throws TENANT_NOT_FOUND when no
/// tenant has this slug.
asio::awaitable<std::shared_ptr<tenancy::Tenant const>> find_tenant(Deps& deps, std::string_view slug);

} // namespace auth_mfa
