#include "http_client/await.hpp"

#include "core/suspended.hpp"

#include <memory>
#include <optional>
#include <utility>

namespace http_client {

boost::asio::awaitable<Result> send(AsyncClient& client, Request request)
{
    std::optional<Result> answer;
    auto const start = [&](core::Suspended caller) {
        // A shared pointer, because std::function needs copyable captures.
        auto const waiting = std::make_shared<core::Suspended>(std::move(caller));
        client.send(std::move(request), [&answer, waiting](Result result) {
            answer = std::move(result);
            core::Suspended::resume(std::move(*waiting));
        });
    };
    co_await core::suspend(start);
    co_return *std::move(answer);
}

} // namespace http_client
