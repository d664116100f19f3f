#pragma once

#include "core/identity.hpp"
#include "http/message.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tenancy {

/// How a service finds out which tenant a request is about.
class ResolveRules {
public:
    /// `base_host`: the host name in front of which tenants have their label (a port and a trailing dot are
    /// dropped, case does not count). `tenant_headers`: whether `X-Tenant-Slug` and `X-Tenant-Env` are looked
    /// at.
    ResolveRules(std::string_view base_host, bool tenant_headers);

    std::string const& base_host() const noexcept { return base_host_; }

    bool tenant_headers() const noexcept { return tenant_headers_; }

private:
    std::string base_host_;
    bool tenant_headers_;
};

/// What host and headers say together, before any credential or table is looked at.
struct Resolution {
    enum class Kind {
        nothing, ///< no tenant is named: an API key's own scope holds, any other credential finds no tenant
                 ///< (404)
        tenant,  ///< `slug` in `environment`, which is set
        unknown, ///< something is named that cannot be a tenant: 404 TENANT_NOT_FOUND, as for a slug nobody
                 ///< has
    };

    Kind kind = Kind::nothing;
    std::string slug; ///< valid, of a `tenant`; else empty
    /// The environment named. With `nothing`: `X-Tenant-Env` came alone, and the credential's scope must
    /// agree with it.
    std::optional<core::Environment> environment;
};

/// Reads `Host`, `X-Tenant-Slug` and `X-Tenant-Env` of a request.
///
/// - `{slug}.<base host>` names production and `{slug}-sandbox.<base host>` the sandbox. A host below the
/// base host that
///   is not exactly one such label is `unknown`; the base host itself and any other host name nothing.
/// - `X-Tenant-Slug` names a tenant on any host, in the environment that `X-Tenant-Env` says, else the
/// host's, else production.
/// - Whatever is present must agree. Throws TENANT_MISMATCH (400) when two sources differ (a repeated header
/// too) and when
///   `X-Tenant-Env` is neither `production` nor `sandbox`.
Resolution resolve(std::span<http::Header const> headers, ResolveRules const& rules);

} // namespace tenancy
