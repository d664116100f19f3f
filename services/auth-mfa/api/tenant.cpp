#include "api/tenant.hpp"

#include "core/error.hpp"

namespace auth_mfa {

asio::awaitable<std::shared_ptr<tenancy::Tenant const>> find_tenant(Deps& deps, std::string_view slug)
{
    auto tenant = co_await deps.directory.find(slug);
    if (!tenant)
        throw core::Error(core::codes::tenant_not_found,
            "There is no tenant with this slug. Check the slug in the host name or in the path.");
    co_return tenant;
}

} // namespace auth_mfa
