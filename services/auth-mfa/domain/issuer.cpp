#include "domain/issuer.hpp"

#include "auth/token_claims.hpp"

namespace auth_mfa {

Issuer::Issuer(std::string base_host, std::uint16_t local_port) : base_host_(std::move(base_host))
{
    if (!auth::token::is_local(base_host_)) return;
    scheme_ = "http://";
    if (local_port != 0 && local_port != 80) port_ = ":" + std::to_string(local_port);
}

std::string Issuer::of(core::Scope const& scope) const
{
    return scheme_ + auth::token::authority(base_host_, scope.slug, scope.environment()) + port_;
}

std::string Issuer::base() const
{
    return scheme_ + base_host_ + port_;
}

} // namespace auth_mfa
