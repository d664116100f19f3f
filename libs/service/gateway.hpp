#pragma once

#include "auth/keys.hpp"
#include "auth/master_key.hpp"
#include "auth/user_tokens.hpp"
#include "core/error.hpp"
#include "http/body_budget.hpp"
#include "http/message.hpp"
#include "http/router.hpp"
#include "observe/http_metrics.hpp"
#include "observe/log.hpp"
#include "observe/log_limit.hpp"
#include "redis/rate_limit.hpp"
#include "service/gateway_authenticator.hpp"
#include "service/gateway_rules.hpp"
#include "service/trusted_proxies.hpp"
#include "tenancy/directory.hpp"
#include "tenancy/resolve.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace service {

namespace asio = boost::asio;

struct GatewayOptions {
    std::string base_host;       ///< `feedback.example.com`
    bool tenant_headers = false; ///< whether `X-Tenant-Slug` and `X-Tenant-Env` are looked at
    TrustedProxies trusted_proxies;
    /// Requests a minute for each user; 0: no limit. API keys have none. A tenant's `requestsPerMinute` takes
    /// the place of both; the operator is never limited.
    std::int64_t user_requests_per_minute = 0;
    /// Whether requests go on while the limit cannot be checked; else they are 503.
    bool rate_limit_fails_open = true;
    /// Whether pages of the origins that a tenant allows may send and be given cookies
    /// (`Access-Control-Allow-Credentials`). For a service that sets one: origins are exact, never `*`, and a
    /// cookie with SameSite=Lax goes with such a request only from the service's own site (from
    /// app.example.com to auth.example.com), so this opens nothing to others.
    bool cookies_from_allowed_origins = false;
    /// Base host of the tenants' auth hosts: pages from `{slug}[-sandbox].<it>` may call as those of allowed
    /// origins do. Empty: none.
    std::string auth_host;
};

/// What the gateway works with; everything outlives it.
struct GatewayDeps {
    tenancy::Directory& tenants;
    auth::MasterKey const& master_key;
    auth::Keys* keys = nullptr;                 ///< null: no API keys
    auth::UserTokens* user_tokens = nullptr;    ///< null: no user tokens
    redis::RateLimiter* rate_limiter = nullptr; ///< null: no limits
    std::shared_ptr<http::BodyBudget> bodies;   ///< null: what bodies take is not counted
    observe::Logger& logger;
    observe::HttpMetrics& metrics; ///< made with `route_labels` of the same table
};

/// The route table as metrics show it, in its order.
std::vector<observe::RouteLabels> route_labels(std::span<http::Endpoint const> endpoints);

/// What every request goes through before and after its handler. In order, and each failure ends it:
///
/// 1. request id, trace context, the client's address; the route is looked up
/// 2. a CORS preflight is answered (one that names no tenant with what it asks for); an unknown path outside
/// /v1 is 404
/// 3. host and tenant headers disagree: 400 TENANT_MISMATCH
/// 4. credential, unless the route is anonymous: 401, as for one of another scope
/// 5. tenant, unless the route is tenantless: 404 TENANT_NOT_FOUND, 403 TENANT_SUSPENDED (the operator may
/// still GET); 401 for a user token that is older than the tenant, which was another one's of that slug
/// 6. route 404, method 405 with `Allow`, access 403; a credential of the sandbox on a `production_only`
/// route: 403
/// 7. rate limit 429; `Idempotency-Key` 400; the body is read (413), unless the route streams it; 503 when
/// its memory is not to be had (http::BodyBudget)
/// 8. the handler
///
/// One fence catches whatever is thrown: core::Error becomes its problem document, redis::Unavailable 503,
/// anything else a 500 that says nothing and a line in the log that says what. Every response carries
/// `X-Request-Id` and `Vary: Origin`, and the CORS headers if the scope allows the origin; every request is
/// one count of the metrics and one line of the log (401s, which anybody can cause: 100 lines a second, with
/// how many were left out). A missing or malformed credential is refused without a database, a lock or a
/// suspension; with an `Origin` too nothing is looked up: a page may read the 401 when the tenant is
/// remembered, as it is after the page's preflight.
class Gateway final : public http::Application {
public:
    Gateway(GatewayOptions options, GatewayDeps const& deps, http::Router router);

    asio::awaitable<http::Response> handle(http::Request& request) override;
    void on_protocol_error(std::string_view code) noexcept override;
    void on_network_refused() noexcept override;

    http::BodyBudget* budget() noexcept override { return deps_.bodies.get(); }

private:
    struct Exchange;

    void identify(http::Request& request) const;
    std::optional<http::Response> begin(Exchange& exchange) const;
    asio::awaitable<http::Response> proceed(Exchange& exchange);
    asio::awaitable<void> read_body(Exchange& exchange);
    http::BodyBudget::Holder holder_of(Exchange const& exchange) const;
    asio::awaitable<void> find_tenant(Exchange& exchange);
    static void check_route(Exchange const& exchange);
    std::optional<redis::Limit> rate_limit(Exchange const& exchange) const;
    asio::awaitable<void> check_rate(Exchange& exchange, redis::Limit limit);
    asio::awaitable<http::Response> preflight(Exchange& exchange);
    asio::awaitable<bool> allows_origin(Exchange& exchange, std::string_view origin, bool may_look_up);
    bool is_allowed(Exchange const& exchange, std::string_view origin, core::Environment environment) const;
    asio::awaitable<void> expose(Exchange& exchange, http::Response& response);
    http::Response answer(std::exception_ptr const& failure, http::Request const& request) const;
    void finish(Exchange const& exchange, http::Response& response);
    void log(Exchange const& exchange, unsigned status, std::chrono::nanoseconds took);

    GatewayOptions const options_;
    GatewayDeps const deps_;
    http::Router const router_;
    tenancy::ResolveRules const rules_;
    GatewayAuthenticator const authenticator_;
    std::string const auth_host_; ///< lower case
    core::Error const missing_;   ///< made once: these are what an attack is answered with
    core::Error const refused_;
    observe::LogLimit refusals_logged_{100};
};

} // namespace service
