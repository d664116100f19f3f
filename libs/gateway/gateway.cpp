#include "gateway/gateway.hpp"

#include "auth/token_claims.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "gateway/cors.hpp"
#include "http/network_key.hpp"
#include "http/problem.hpp"
#include "idempotency/once.hpp"
#include "observe/trace.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace gateway {

namespace {

using Steady = std::chrono::steady_clock;

/// The response for an error of a request: in the form of its route, or a problem document.
http::Response response_for(
    http::Request const& request, http::Endpoint const* endpoint, core::Error const& error)
{
    if (endpoint == nullptr) return http::problem(error, request.context.request_id);
    auto const& options = endpoint->options;
    auto* const own = options.error_page != nullptr ? options.error_page : options.error_response;
    return own != nullptr ? own(request, error) : http::problem(error, request.context.request_id);
}

/// The method for the log. An unknown method may be any text.
std::string_view shown_method(http::Request const& request)
{
    return request.method == http::Method::other ? "OTHER" : request.method_text;
}

} // namespace

std::vector<observe::RouteLabels> route_labels(std::span<http::Endpoint const> endpoints)
{
    std::vector<observe::RouteLabels> labels;
    labels.reserve(endpoints.size());
    for (auto const& endpoint : endpoints)
        labels.push_back({std::string(http::to_string(endpoint.method)), std::string(endpoint.path)});
    return labels;
}

/// The state of one request.
struct Gateway::RequestState {
    http::Request& request;
    Steady::time_point started = Steady::now();
    http::Router::Match match;
    RouteRules rules;
    tenancy::Resolution named;
    std::string_view token;
    bool decided = true;     ///< whether the credential has been checked
    bool plain_http = false; ///< a trusted proxy says that the client connected without TLS
    Identity identity;
    std::shared_ptr<tenancy::Tenant const> tenant;
    std::vector<std::pair<std::string, std::string>> headers; ///< for the response, in all cases

    void accept(Identity&& who)
    {
        identity = std::move(who);
        request.context.caller = identity.caller;
    }
};

Gateway::Gateway(Options options, Deps const& deps, http::Router router)
    : options_(std::move(options)), deps_(deps), router_(std::move(router)),
      rules_(options_.base_host, options_.tenant_headers),
      authenticator_(deps.keys, deps.user_tokens, deps.master_key),
      auth_host_(core::lower(options_.auth_host)), board_host_(core::lower(options_.board_host)),
      // NOLINTNEXTLINE(bugprone-throw-keyword-missing): kept, to be thrown later
      missing_(core::codes::unauthorized, "A credential is required. Send `Authorization: Bearer …`."),
      // NOLINTNEXTLINE(bugprone-throw-keyword-missing)
      refused_(core::Error(core::codes::unauthorized,
          "The credential is not valid here. Check its value, its expiry and the host of the tenant.")
              .header("WWW-Authenticate", "Bearer error=\"invalid_token\""))
{
}

void Gateway::on_protocol_error(std::string_view code) noexcept
{
    deps_.metrics.protocol_error(code);
}

void Gateway::on_network_refused() noexcept
{
    deps_.metrics.network_refused();
}

asio::awaitable<http::Response> Gateway::handle(http::Request& request)
{
    RequestState state{.request = request};
    deps_.metrics.started();
    bool const came_by_http = is_plain_http(
        request, options_.trusted_proxies); // before `identify` replaces the peer's address by the client's
    identify(request);

    std::optional<http::Response> response;
    std::exception_ptr failure;
    bool const preflighted = cors::is_preflight(request);
    state.plain_http = came_by_http;
    try {
        if (preflighted) {
            response = co_await preflight(state);
        } else {
            response = begin(state);
            if (!response) response = co_await proceed(state);
        }
    } catch (...) {
        failure = std::current_exception();
    }
    request.drop_body();
    request.lease.reset();
    if (failure) response = answer(failure, state);
    // For a request without an Origin header, no allowed origins are looked up.
    if (!preflighted && request.header("Origin"))
        co_await expose(state, *response);
    else if (!preflighted)
        cors::expose(*response, {}, false);
    finish(state, *response);
    co_return std::move(*response);
}

void Gateway::identify(http::Request& request) const
{
    auto& context = request.context;
    context.request_id = observe::request_id(request.header("X-Request-Id"));
    auto trace = observe::continue_trace(request.header("traceparent"));
    context.traceparent = trace.traceparent();
    context.trace_id = std::move(trace.trace_id);
    auto const forwarded_for = joined_header(request, "X-Forwarded-For");
    if (forwarded_for)
        request.remote_address =
            options_.trusted_proxies.client_address(request.remote_address, *forwarded_for);
}

std::optional<http::Response> Gateway::begin(RequestState& state) const
{
    auto& request = state.request;
    state.match = router_.match(request);
    state.rules = rules_of(router_, request, state.match);
    if (state.rules.unknown_outside_api) check_route(state);

    state.named = tenancy::resolve(request.headers, rules_);
    if (state.rules.anonymous && !state.rules.optional_credential) return std::nullopt;

    auto const credential = read_credential(request);
    if (!credential.sent && state.rules.anonymous) return std::nullopt;
    if (!credential.sent) return response_for(request, state.match.endpoint, missing_);
    state.token = credential.token;
    auto checked =
        state.token.empty() ? Authenticator::CheckResult{.decided = true} : authenticator_.check(state.token);
    state.decided = checked.decided;
    if (!checked.decided) return std::nullopt;
    if (!checked.identity) return response_for(request, state.match.endpoint, refused_);
    state.accept(std::move(*checked.identity));
    return std::nullopt;
}

asio::awaitable<http::Response> Gateway::proceed(RequestState& state)
{
    auto& request = state.request;
    if (!state.decided) {
        auto identity = co_await authenticator_.verify(state.token);
        if (!identity) throw refused_;
        state.accept(std::move(*identity));
    }
    if (!state.rules.tenantless) co_await find_tenant(state);
    check_route(state);
    auto const& endpoint = *state.match.endpoint;
    if (deps_.requests != nullptr && state.tenant) {
        if (auto const limit = deps_.requests->of(request.context.caller, *state.tenant))
            co_await count_request(state, rate_subject(request.context), *limit);
        if (endpoint.options.limits_networks && request.context.caller.kind == core::Access::anonymous)
            co_await count_network(state);
    }
    if (endpoint.options.idempotent) {
        if (auto const key = request.header("Idempotency-Key"))
            request.context.idempotency_key = idempotency::parse_key(*key);
    }
    co_await read_body(state);
    co_return co_await endpoint.handler(request);
}

asio::awaitable<void> Gateway::read_body(RequestState& state)
{
    auto& request = state.request;
    auto const& route = state.match.endpoint->options;
    // No handler reads the body of a GET.
    if (route.streams_body || request.method == http::Method::get) co_return;
    if (request.body_reader == nullptr || request.body_reader->length() == 0) co_return;
    if (deps_.bodies) request.lease = deps_.bodies->lease(holder_of(state));
    co_await request.body_reader->read_all(request.body, route.body_limit);
}

/// Callers with secret credentials are the tenant's own server and the operator. Their bodies count only in
/// the tenant's share. Bodies of all other callers also count in the share of the client's address.
http::BodyBudget::Holder Gateway::holder_of(RequestState const& state) const
{
    auto const& request = state.request;
    auto const& caller = request.context.caller;
    http::BodyBudget::Holder holder;
    holder.scope_id = request.context.scope.id;
    // A publishable key is part of every copy of an app, so anyone can send it.
    holder.anonymous = caller.kind == core::Access::anonymous || caller.kind == core::Access::publishable_key;
    if (caller.kind == core::Access::key || caller.kind == core::Access::master) return holder;
    boost::system::error_code not_an_address;
    auto const address = asio::ip::make_address(request.remote_address, not_an_address);
    if (not_an_address) return holder;
    if (options_.trusted_proxies.contains(address)) return holder;
    holder.address = http::network_key(address, 32, 64);
    holder.network = http::network_key(address, 24, 48);
    return holder;
}

asio::awaitable<void> Gateway::find_tenant(RequestState& state)
{
    auto environment = core::Environment::production;
    if (state.identity.key_scope != core::no_scope) {
        core::Scope const own{.id = state.identity.key_scope, .slug = {}};
        environment = own.environment();
        auto tenant = co_await deps_.tenants.find_by_id(own.tenant_id());
        if (!tenant || !agrees(state.named, tenant->slug, environment)) throw refused_;
        state.tenant = std::move(tenant);
    } else {
        auto const& named = state.named;
        auto const& claims = state.identity.token;
        if (claims && !agrees(named, claims->tenant, claims->environment)) throw refused_;
        if (named.kind != tenancy::Resolution::Kind::tenant)
            throw core::Error(core::codes::tenant_not_found,
                "The request names no tenant. Send it to the tenant's host, such as demo." +
                    options_.base_host + ".");
        environment = named.environment.value_or(core::Environment::production);
        state.tenant = co_await deps_.tenants.get(named.slug);
        // A token that was issued before this tenant was created belongs to an erased tenant with the same
        // slug.
        if (claims && claims->issued_at + auth::token::skew < state.tenant->created_at) throw refused_;
    }
    auto& context = state.request.context;
    context.scope = state.tenant->scope(environment);
    co_await refuse_erased(state);
    auto const* const endpoint = state.match.endpoint;
    bool const reads = state.request.method == http::Method::get;
    bool const may_use_suspended = (reads && context.caller.kind == core::Access::master) ||
                                   context.caller.kind == core::Access::erasure ||
                                   (endpoint != nullptr && endpoint->options.serves_suspended);
    if (state.tenant->suspended && !may_use_suspended)
        throw core::Error(core::codes::tenant_suspended, "The tenant is suspended. Contact the operator.");
}

asio::awaitable<void> Gateway::refuse_erased(RequestState const& state) const
{
    auto const& claims = state.identity.token;
    if (!claims || claims->access == core::Access::erasure || deps_.erased_users == nullptr) co_return;
    auto const scope_id = state.request.context.scope.id;
    auto erased = deps_.erased_users->check(scope_id, claims->subject);
    if (!erased) erased = co_await deps_.erased_users->contains(scope_id, claims->subject);
    if (*erased) throw refused_;
}

void Gateway::check_route(RequestState const& state) const
{
    auto const* const endpoint = state.match.endpoint;
    auto const& allow = state.match.allow;
    if (endpoint == nullptr) {
        if (allow.empty())
            throw core::Error(
                core::codes::not_found, "No resource has this path. The reference at /docs lists them.");
        throw core::Error(core::codes::method_not_allowed,
            "This resource does not support this method. The Allow header lists the supported ones.")
            .header("Allow", allow);
    }
    auto const kind = state.request.context.caller.kind;
    bool const allowed = core::allows(endpoint->access, kind);
    if (!allowed && (kind == core::Access::enrolment || kind == core::Access::erasure)) throw refused_;
    // Access tokens are not a credential of this route, although they are valid.
    if (!allowed && endpoint->access == core::Access::erasure) throw refused_;
    if (!allowed)
        throw core::Error(core::codes::forbidden, "This kind of credential has no access to this operation. "
                                                  "Use a kind that the API documentation allows.");
    auto const& context = state.request.context;
    if (endpoint->options.production_only && context.caller.kind != core::Access::master &&
        context.scope.environment() == core::Environment::sandbox)
        throw core::Error(core::codes::forbidden,
            "Both environments share this resource. Change it with a credential of production.");
}

asio::awaitable<void> Gateway::count_request(
    RequestState& state, std::string subject, redis::Limit limit) const
{
    auto const decision = co_await deps_.requests->count(std::move(subject), limit);
    if (!decision) co_return;
    RequestLimit::require_allowed(*decision);
    state.headers = redis::headers(*decision);
}

asio::awaitable<void> Gateway::count_network(RequestState& state) const
{
    auto const limit = deps_.requests->of_network();
    boost::system::error_code not_an_address;
    auto const address = asio::ip::make_address(state.request.remote_address, not_an_address);
    if (!limit || not_an_address) co_return;
    auto const network = http::network_key(address, 24, 48);
    co_await count_request(state, rate_subject_of_network(state.request.context.scope.id, network), *limit);
}

asio::awaitable<http::Response> Gateway::preflight(RequestState& state)
{
    auto& request = state.request;
    state.match = router_.match(request);
    auto const origin = request.header("Origin").value_or("");
    state.named = tenancy::resolve(request.headers, rules_);
    bool const allowed = co_await allows_origin(state, origin, true);
    bool const cookies = options_.cookies_from_allowed_origins;
    if (!state.tenant) co_return cors::preflight_without_tenant(request, cookies);
    co_return cors::preflight(origin, allowed, state.match.allow, cookies);
}

asio::awaitable<bool> Gateway::allows_origin(RequestState& state, std::string_view origin, bool may_look_up)
{
    bool const is_named = state.named.kind == tenancy::Resolution::Kind::tenant;
    auto environment = state.request.context.scope.environment();
    if (!state.tenant && is_named) {
        environment = state.named.environment.value_or(core::Environment::production);
        auto const& slug = state.named.slug;
        state.tenant = may_look_up ? co_await deps_.tenants.find(slug) : deps_.tenants.cached(slug);
    }
    co_return state.tenant&& is_allowed(state, origin, environment);
}

bool Gateway::is_allowed(
    RequestState const& state, std::string_view origin, core::Environment environment) const
{
    auto const& tenant = *state.tenant;
    if (cors::is_allowed(origin, tenant.settings(environment).allowed_origins)) return true;
    return std::ranges::any_of(std::array{&auth_host_, &board_host_}, [&](std::string const* base) {
        return !base->empty() &&
               cors::is_page_of(
                   origin, auth::token::authority(*base, tenant.slug, environment), state.plain_http);
    });
}

asio::awaitable<void> Gateway::expose(RequestState& state, http::Response& response)
{
    auto const origin = state.request.header("Origin").value_or("");
    bool const refused = response.status == core::codes::unauthorized.status;
    auto const* const endpoint = state.match.endpoint;
    bool const is_page = endpoint != nullptr && endpoint->options.error_page != nullptr;
    bool allowed = false;
    try {
        allowed = !is_page && co_await allows_origin(state, origin, !refused);
    } catch (std::exception const&) {
        allowed = false; // the response is sent anyway, but pages cannot read it
    }
    cors::expose(response, origin, allowed, options_.cookies_from_allowed_origins);
}

http::Response Gateway::answer(std::exception_ptr const& failure, RequestState const& state) const
{
    auto const& request = state.request;
    auto const shown = [&](core::Error const& error) {
        return response_for(request, state.match.endpoint, error);
    };
    std::string what = "unknown exception";
    try {
        std::rethrow_exception(failure);
    } catch (core::Error const& error) {
        return shown(error);
    } catch (redis::Unavailable const&) {
        return shown(core::Error::unavailable("The service is temporarily unavailable. Retry later."));
    } catch (std::exception const& error) {
        what = error.what();
    } catch (...) { // NOLINT(bugprone-empty-catch): `what` is set already
    }
    deps_.logger.error(
        "request failed", {{"what", observe::first_line(what)}, {"method", shown_method(request)},
                              {"requestId", request.context.request_id},
                              {"traceId", request.context.trace_id}, {"tenant", request.context.scope.slug}});
    return shown(core::Error::internal());
}

void Gateway::finish(RequestState const& state, http::Response& response)
{
    auto const& context = state.request.context;
    for (auto const& header : state.headers)
        response.headers.push_back(header);
    response.headers.emplace_back("X-Request-Id", context.request_id);

    auto const took = Steady::now() - state.started;
    auto const* const endpoint = state.match.endpoint;
    deps_.metrics.finished(endpoint != nullptr ? endpoint->index : observe::HttpMetrics::unmatched,
        response.status, took, context.scope);
    if (deps_.logger.enabled(observe::Level::info)) log(state, response.status, took);
}

void Gateway::log(RequestState const& state, unsigned status, std::chrono::nanoseconds took)
{
    bool const refused = status == core::codes::unauthorized.status;
    if (refused && !refusals_logged_.admits(state.started)) return;
    if (auto const omitted = refused ? refusals_logged_.take_omitted() : 0; omitted != 0)
        deps_.logger.warn("refused requests were not logged", {{"count", omitted}});
    auto const& request = state.request;
    auto const& context = request.context;
    auto const pattern = state.match.pattern;
    // An unmatched path may contain anything, so it is not logged.
    auto const path = pattern.empty() ? "unmatched" : http::shown_path(pattern, request.params);
    deps_.logger.info("request",
        {{"method", shown_method(request)}, {"route", pattern}, {"path", path}, {"status", status},
            {"durationUs", std::chrono::duration_cast<std::chrono::microseconds>(took).count()},
            {"tenant", context.scope.slug},
            {"env", context.scope.id != core::no_scope ? core::to_string(context.scope.environment())
                                                       : std::string_view()},
            {"caller", to_string(context.caller.kind)}, {"callerId", context.caller.id},
            {"requestId", context.request_id}, {"traceId", context.trace_id},
            {"remote", request.remote_address}});
}

} // namespace gateway
