#include "service/tenant_jobs.hpp"

#include "core/wait.hpp"
#include "tenancy/directory.hpp"

#include <utility>

namespace service {

jobs::Handler for_active_tenants(boost::asio::io_context& io, tenancy::Directory& directory,
    core::Clock const& clock, TenantHandler handler)
{
    return [&io, &directory, &clock, handler = std::move(handler)](
               jobs::Claim& claim, std::stop_token const& stop) {
        core::Scope const unnamed{claim.scope_id, {}};
        auto const tenant = core::wait(io.get_executor(), directory.find_by_id(unnamed.tenant_id()));
        if (!tenant) return jobs::Outcome::done();
        if (tenant->suspended) return jobs::Outcome::not_yet(clock.now() + suspended_pause);
        return handler(tenant->scope(unnamed.environment()), claim, stop);
    };
}

} // namespace service
