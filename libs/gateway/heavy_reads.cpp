#include "gateway/heavy_reads.hpp"

#include "core/error.hpp"

#include <utility>

namespace gateway {

namespace {

using Handler = std::function<asio::awaitable<http::Response>(http::Request const&)>;

asio::awaitable<http::Response> run(
    HeavyReads& heavy_reads, Handler const& handler, http::Request const& request)
{
    auto const place = heavy_reads.enter(request.scope().id);
    http::Response response = co_await handler(request);
    if (response.stream) response.stream = [place, stream = std::move(response.stream)] { return stream(); };
    co_return response;
}

} // namespace

HeavyReads::HeavyReads(std::size_t places) : places_(places) {}

std::shared_ptr<void const> HeavyReads::enter(std::int64_t scope_id)
{
    auto place = places_.enter(scope_id);
    if (!place)
        throw core::Error(
            core::codes::rate_limited, "Too many searches, statistics or exports at once. Retry later.")
            .header("Retry-After", "1");
    return place;
}

http::Endpoint HeavyReads::guard(http::Endpoint endpoint)
{
    auto* const heavy = endpoint.options.heavy;
    if (heavy == nullptr) return endpoint;
    endpoint.handler = [this, heavy, handler = std::move(endpoint.handler)](http::Request const& request) {
        return heavy(request) ? run(*this, handler, request) : handler(request);
    };
    return endpoint;
}

} // namespace gateway
