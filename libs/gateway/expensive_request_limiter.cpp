#include "gateway/expensive_request_limiter.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <utility>

namespace gateway {

namespace {

using Handler = std::function<asio::awaitable<http::Response>(http::Request const&)>;

asio::awaitable<http::Response> run(
    ExpensiveRequestLimiter& limiter, Handler const& handler, http::Request const& request)
{
    auto const use = limiter.enter(request.scope().id, request.caller().kind == core::Access::anonymous);
    http::Response response = co_await handler(request);
    if (response.stream) response.stream = [use, stream = std::move(response.stream)] { return stream(); };
    co_return response;
}

} // namespace

ExpensiveRequestLimiter::ExpensiveRequestLimiter(std::size_t per_scope)
    : limiter_(per_scope), anonymous_(std::max<std::size_t>(1, per_scope / 2))
{
}

std::shared_ptr<void const> ExpensiveRequestLimiter::enter(core::ScopeId scope_id, bool anonymous)
{
    auto use = (anonymous ? anonymous_ : limiter_).enter(core::number(scope_id));
    if (!use)
        throw core::Error(
            core::codes::rate_limited, "Too many searches, statistics or exports at once. Retry later.")
            .header("Retry-After", "1");
    return use;
}

http::Endpoint ExpensiveRequestLimiter::limit(http::Endpoint endpoint)
{
    auto* const is_expensive = endpoint.options.is_expensive;
    if (is_expensive == nullptr) return endpoint;
    endpoint.handler = [this, is_expensive, handler = std::move(endpoint.handler)](
                           http::Request const& request) {
        return is_expensive(request) ? run(*this, handler, request) : handler(request);
    };
    return endpoint;
}

} // namespace gateway
