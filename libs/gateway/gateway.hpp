#pragma once

#include "auth/api_keys.hpp"
#include "auth/erased_users.hpp"
#include "auth/master_key.hpp"
#include "auth/user_tokens.hpp"
#include "core/error.hpp"
#include "gateway/authenticator.hpp"
#include "gateway/request_limit.hpp"
#include "gateway/rules.hpp"
#include "gateway/trusted_proxies.hpp"
#include "http/body_budget.hpp"
#include "http/message.hpp"
#include "http/router.hpp"
#include "observe/http_metrics.hpp"
#include "observe/log.hpp"
#include "observe/log_limit.hpp"
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

namespace gateway {

namespace asio = boost::asio;

struct Options {
    std::string base_host;       ///< such as `feedback.example.com`
    bool tenant_headers = false; ///< whether `X-Tenant-Slug` and `X-Tenant-Env` are read
    TrustedProxies trusted_proxies;
    /// Whether pages of a tenant's allowed origins may send and receive cookies
    /// (`Access-Control-Allow-Credentials`). True in services that set a cookie. Other sites get no access,
    /// because allowed origins are exact and never `*`. When a page calls the service, the browser sends a
    /// SameSite=Lax cookie only if the page belongs to the service's own site (for example, from
    /// app.example.com to auth.example.com). For pages of other sites, the service must set a cookie with
    /// SameSite=None and Secure.
    bool cookies_from_allowed_origins = false;
    /// Base host of the tenants' auth hosts. Pages of `{slug}[-sandbox].<auth_host>` may call the tenant's
    /// environment like pages of its allowed origins. If it is empty, tenants have no auth hosts.
    std::string auth_host;
    /// Base host of the tenants' boards. Pages of `{slug}[-sandbox].<board_host>` may call the tenant's
    /// environment, too. If it is empty, boards are like other pages.
    std::string board_host{};
};

/// The dependencies of the gateway, which must outlive it.
struct Deps {
    tenancy::Directory& tenants;
    auth::MasterKey const& master_key;
    auth::ApiKeys* keys = nullptr;             ///< null if the service has no API keys
    auth::UserTokens* user_tokens = nullptr;   ///< null if the service accepts no user tokens
    auth::ErasedUsers* erased_users = nullptr; ///< null if access tokens are not checked for erased users
    RequestLimit const* requests = nullptr;    ///< null if requests are not limited
    std::shared_ptr<http::BodyBudget> bodies;  ///< null if the memory of bodies is not limited
    observe::Logger& logger;
    observe::HttpMetrics& metrics; ///< made with the `route_labels` of this gateway's routes
};

/// The routes as labels for metrics, in the order of the table.
std::vector<observe::RouteLabels> route_labels(std::span<http::Endpoint const> endpoints);

/// Runs these steps for every request, in this order. The first failure ends the request:
///
/// 1. Reads request id, trace context and client address, and finds the route.
/// 2. Answers CORS preflight requests. An unknown path outside /v1 gets 404.
/// 3. Host and tenant headers that contradict each other get 400 TENANT_MISMATCH.
/// 4. Checks the credential, unless the route is anonymous. A missing or invalid credential gets 401, and so
///    does a credential of another scope than the one that the host and headers name. A route may permit
///    anonymous callers and others: then a credential may be missing, but must be valid.
/// 5. Finds the tenant, unless the route is tenantless: 404 TENANT_NOT_FOUND, 403 TENANT_SUSPENDED (not for a
///    GET by the operator, and not on a `serves_suspended` route). A user token that is older than the tenant
///    gets 401, because it was issued for an erased tenant with the same slug.
/// 6. Checks the route: 404 for an unknown path, 405 with `Allow` for the wrong method, 403 without access
///    (401 for a token that only enrols a second factor), 403 for a sandbox credential on a `production_only`
///    route.
/// 7. Checks the rate limit (429) and `Idempotency-Key` (400), and reads the body (413), unless the route
///    streams it. 503 if there is no memory for the body (http::BodyBudget).
/// 8. Calls the handler.
///
/// All exceptions are caught. A core::Error becomes its problem document, or the route's `error_page` or
/// `error_response`.
/// redis::Unavailable becomes a 503. Any other exception becomes a 500 without details, and its details are
/// logged. Every response carries `X-Request-Id` and `Vary: Origin`, and the CORS headers if the scope allows
/// the origin. Every request is counted in the metrics and logged in one line. Any client can cause 401s, so
/// at most 100 log lines per second are written for them. A further line reports how many were omitted.
///
/// A missing or malformed credential is refused without a database access, without a lock, and without
/// suspending the coroutine. For such a request, the tenant is not looked up to check the `Origin` either. So
/// a page can read this 401 only while the tenant is cached. Usually the page's preflight request has put the
/// tenant into the cache.
class Gateway final : public http::Application {
public:
    Gateway(Options options, Deps const& deps, http::Router router);

    asio::awaitable<http::Response> handle(http::Request& request) override;
    void on_protocol_error(std::string_view code) noexcept override;
    void on_network_refused() noexcept override;

    http::BodyBudget* budget() noexcept override { return deps_.bodies.get(); }

private:
    struct RequestState;

    void identify(http::Request& request) const;
    std::optional<http::Response> begin(RequestState& state) const;
    asio::awaitable<http::Response> proceed(RequestState& state);
    asio::awaitable<void> read_body(RequestState& state);
    http::BodyBudget::Holder holder_of(RequestState const& state) const;
    asio::awaitable<void> find_tenant(RequestState& state);
    /// Throws if the caller's account was deleted (auth::ErasedUsers).
    asio::awaitable<void> refuse_erased(RequestState const& state) const;
    void check_route(RequestState const& state) const;
    asio::awaitable<void> count_request(RequestState& state, std::string subject, redis::Limit limit) const;
    /// Counts a request of an anonymous caller for its network.
    asio::awaitable<void> count_network(RequestState& state) const;
    asio::awaitable<http::Response> preflight(RequestState& state);
    asio::awaitable<bool> allows_origin(RequestState& state, std::string_view origin, bool may_look_up);
    bool is_allowed(RequestState const& state, std::string_view origin, core::Environment environment) const;
    asio::awaitable<void> expose(RequestState& state, http::Response& response);
    http::Response answer(std::exception_ptr const& failure, RequestState const& state) const;
    void finish(RequestState const& state, http::Response& response);
    void log(RequestState const& state, unsigned status, std::chrono::nanoseconds took);

    Options const options_;
    Deps const deps_;
    http::Router const router_;
    tenancy::ResolveRules const rules_;
    Authenticator const authenticator_;
    std::string const auth_host_;  ///< lower case
    std::string const board_host_; ///< lower case
    core::Error const missing_;    ///< made once, because attackers can cause many of these
    core::Error const refused_;
    observe::LogLimit refusals_logged_{100};
};

} // namespace gateway
