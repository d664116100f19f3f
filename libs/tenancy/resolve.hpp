#pragma once

#include "core/scope.hpp"
#include "http/message.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tenancy {

/// How a service determines the tenant of a request.
class ResolveRules {
public:
    /// `base_host`: the host name after the tenant's label in a tenant's host. A port, a trailing dot and the
    /// case are ignored. `tenant_headers`: whether `X-Tenant-Slug` and `X-Tenant-Env` are used.
    ResolveRules(std::string_view base_host, bool tenant_headers);

    std::string const& base_host() const noexcept { return base_host_; }

    bool tenant_headers() const noexcept { return tenant_headers_; }

private:
    std::string base_host_;
    bool tenant_headers_;
};

/// The tenant that host and headers name. Neither the credential nor the table of tenants has been checked
/// yet.
struct Resolution {
    enum class Kind {
        /// Host and headers name no tenant. An API key then acts in its own scope; other callers get 404.
        nothing,
        tenant,  ///< `slug` in `environment`, which is set
        unknown, ///< the name is no valid slug: 404 TENANT_NOT_FOUND, as for an unknown slug
    };

    Kind kind = Kind::nothing;
    std::string slug; ///< set if `kind` is `tenant`; else empty
    /// The environment that host or headers name. If `kind` is `nothing`, it is the value of `X-Tenant-Env`,
    /// and the credential's scope must be of that environment.
    std::optional<core::Environment> environment;
};

/// Reads `Host`, `X-Tenant-Slug` and `X-Tenant-Env` of a request.
///
/// - `{slug}.<base host>` names the tenant's production and `{slug}-sandbox.<base host>` its sandbox. Any
///   other subdomain of the base host is `unknown`. The base host itself and all other hosts name no
///   tenant.
/// - `X-Tenant-Slug` names a tenant on any host. The environment is that of `X-Tenant-Env`; without the
///   header, that of the host; otherwise production.
/// - All given values must agree. Throws TENANT_MISMATCH (400) if two of them differ, also two values of one
///   header, and if `X-Tenant-Env` is neither `production` nor `sandbox`.
Resolution resolve(std::span<http::Header const> headers, ResolveRules const& rules);

} // namespace tenancy
