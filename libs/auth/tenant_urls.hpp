#pragma once

#include "core/scope.hpp"

#include <cstdint>
#include <string>

namespace auth {

/// The public URLs of a service and of its tenants' hosts. The URL of a tenant at the authentication service
/// is the issuer (`iss`) of the tenant's tokens.
class TenantUrls {
public:
    /// If `base_host` is `localhost` or a subdomain of it, the scheme is `http` and `local_port` is the port
    /// in the URL. With 0 or 80, the URL has no port.
    explicit TenantUrls(std::string base_host, std::uint16_t local_port);

    /// The URL of a scope's host without a path, such as `https://demo-sandbox.auth.example.com`.
    std::string of(core::Scope const& scope) const;

    /// The URL of the base host, which names no tenant, such as `https://auth.example.com`.
    std::string base() const;

private:
    std::string base_host_;
    std::string scheme_ = "https://";
    std::string port_;
};

} // namespace auth
