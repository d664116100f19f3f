#pragma once

#include "core/caller.hpp"
#include "core/scope.hpp"
#include "gateway/trusted_proxies.hpp"
#include "http/message.hpp"
#include "http/router.hpp"
#include "tenancy/resolve.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The gateway's rules that need no I/O.
namespace gateway {

/// The requirements of a request's route. They also apply to a request that gets 405.
struct RouteRules {
    bool anonymous = false;           ///< no credential is required
    bool optional_credential = false; ///< `anonymous`, but a credential that is sent is checked
    bool tenantless = false;          ///< no tenant is looked up
    bool unknown_outside_api = false; ///< the path is unknown and not below /v1: 404 for all callers
};

/// `match` is the router's result for `request`. If the path does not support the request's method, the rules
/// of the first method that the path supports apply.
RouteRules rules_of(
    http::Router const& router, http::Request const& request, http::Router::Match const& match);

/// The credential that a request carries.
struct Credential {
    bool sent = false;      ///< an Authorization header was sent
    std::string_view token; ///< of `Authorization: Bearer <token>` (RFC 6750, 2.1); empty when malformed
};

/// More than one `Authorization` header counts as malformed. A header with another scheme than Bearer counts
/// as not sent.
Credential read_credential(http::Request const& request) noexcept;

/// Joins the values of all headers called `name` into one list (RFC 9110, 5.3). Returns nullopt if the
/// request has no such header.
std::optional<std::string> joined_header(http::Request const& request, std::string_view name);

/// Whether `named` names the scope of `slug` and `environment`, or names nothing that differs from it.
bool agrees(tenancy::Resolution const& named, std::string_view slug, core::Environment environment) noexcept;

/// The key under which a caller's requests are counted: `42:key:fbk_a1b2c3d4`, `42:user:<sub>`.
std::string rate_subject(http::Context const& context);

/// As `rate_subject`, for a user.
std::string rate_subject_of_user(core::ScopeId scope_id, std::string_view user_id);

/// As `rate_subject`, for the anonymous callers of a network (http::network_key).
std::string rate_subject_of_network(core::ScopeId scope_id, std::int64_t network);

/// The window of the limits of requests.
inline constexpr std::chrono::minutes rate_window{1};

/// The kind of caller as written to the log: `anonymous`, `key`, `publishable_key`, `user`, `admin`, `owner`,
/// `master`, `enrolment`, `erasure`, `client`.
std::string_view to_string(core::Access kind) noexcept;

/// Whether a trusted proxy says, in the last element of `X-Forwarded-Proto`, that the client connected
/// without TLS. `request.remote_address` must be the peer's address.
bool is_plain_http(http::Request const& request, TrustedProxies const& proxies);

} // namespace gateway
