#include "auth/tenant_urls.hpp"

#include "auth/token_claims.hpp"

#include <utility>

namespace auth {

TenantUrls::TenantUrls(std::string base_host, std::uint16_t local_port) : base_host_(std::move(base_host))
{
    if (!token::is_local(base_host_)) return;
    scheme_ = "http://";
    if (local_port != 0 && local_port != 80) port_ = ":" + std::to_string(local_port);
}

std::string TenantUrls::of(core::Scope const& scope) const
{
    return scheme_ + token::authority(base_host_, scope.slug, scope.environment()) + port_;
}

std::string TenantUrls::base() const
{
    return scheme_ + base_host_ + port_;
}

} // namespace auth
