#pragma once

#include "core/identity.hpp"
#include "http/message.hpp"
#include "http/router.hpp"
#include "service/trusted_proxies.hpp"
#include "tenancy/resolve.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The rules of the pipeline that need no I/O.
namespace service {

/// What a request's route asks of it before it is answered, be the answer a 405.
struct RouteRules {
    bool anonymous = false;           ///< no credential is looked at
    bool tenantless = false;          ///< no tenant is looked up
    bool unknown_outside_api = false; ///< 404 for everyone
};

/// `match`: what the router said of `request`. A path that lacks the method has the rules of its other
/// methods.
RouteRules rules_of(
    http::Router const& router, http::Request const& request, http::Router::Match const& match);

/// What a request brings to show who it is from.
struct Credential {
    bool sent = false;      ///< something was
    std::string_view token; ///< of `Authorization: Bearer <token>` (RFC 6750, 2.1); empty when it is not that
};

/// More than one `Authorization` header is none that can be used. Another scheme than Bearer counts as not
/// sent.
Credential read_credential(http::Request const& request) noexcept;

/// The values of all headers of that name as one list (RFC 9110, 5.3); nullopt when there is none.
std::optional<std::string> joined_header(http::Request const& request, std::string_view name);

/// Whether what host and headers name is this scope. Naming nothing agrees with every scope.
bool agrees(tenancy::Resolution const& named, std::string_view slug, core::Environment environment) noexcept;

/// Who is counted: `42:key:fbk_a1b2c3d4`, `42:user:<sub>`.
std::string rate_subject(http::Context const& context);

/// As the log shows it: `anonymous`, `key`, `publishable_key`, `user`, `admin`, `owner`, `master`.
std::string_view to_string(core::Access kind) noexcept;

/// Whether a trusted proxy says, by the last element of `X-Forwarded-Proto`, that the client came by http
/// without TLS. `request.remote_address` is the peer's.
bool is_plain_http(http::Request const& request, TrustedProxies const& proxies);

} // namespace service
