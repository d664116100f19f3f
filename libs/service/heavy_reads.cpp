#include "service/heavy_reads.hpp"

#include "core/error.hpp"

#include <mutex>
#include <unordered_map>
#include <utility>

namespace service {

struct HeavyReads::State {
    explicit State(std::size_t p) : places(p) {}

    bool take(std::int64_t scope_id)
    {
        std::lock_guard const lock(mutex);
        auto& taken = by_scope[scope_id];
        if (taken >= places) return false;
        ++taken;
        return true;
    }

    void give_back(std::int64_t scope_id)
    {
        std::lock_guard const lock(mutex);
        auto const it = by_scope.find(scope_id);
        if (--it->second == 0) by_scope.erase(it);
    }

    std::size_t const places;
    std::mutex mutex;
    std::unordered_map<std::int64_t, std::size_t> by_scope;
};

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

HeavyReads::HeavyReads(std::size_t places) : state_(std::make_shared<State>(places)) {}

std::shared_ptr<void const> HeavyReads::enter(std::int64_t scope_id)
{
    if (!state_->take(scope_id)) {
        throw core::Error(core::codes::rate_limited, "Too many searches, statistics and exports at once.")
            .header("Retry-After", "1");
    }
    return {static_cast<void const*>(this),
        [state = state_, scope_id](void const*) { state->give_back(scope_id); }};
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

} // namespace service
