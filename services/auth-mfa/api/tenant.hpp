#pragma once

#include "deps.hpp"

#include <memory>
#include <string_view>

namespace auth_mfa {

/// The tenant of that slug with its settings, from the directory's memory. TENANT_NOT_FOUND when there is
/// none (any more).
asio::awaitable<std::shared_ptr<tenancy::Tenant const>> find_tenant(Deps& deps, std::string_view slug);

} // namespace auth_mfa
