#include "workers/uploads.hpp"

#include "blobs/local_store.hpp"
#include "core/error.hpp"
#include "core/wait.hpp"
#include "http_client/client.hpp"

namespace notify {

namespace {

using namespace std::chrono_literals;

constexpr auto timeout = 30s;
constexpr auto stop_grace = 2s;

core::Error unavailable()
{
    return core::Error::unavailable("The attachment store is unavailable.");
}

asio::awaitable<std::optional<std::string>> read_local(
    blobs::LocalStore& store, blobs::Key key, std::int64_t size_bytes)
{
    auto const blob = co_await store.send(key, size_bytes);
    if (!blob) co_return std::nullopt;
    std::string bytes;
    bytes.reserve(static_cast<std::size_t>(size_bytes));
    for (auto piece = co_await blob->next(); !piece.empty(); piece = co_await blob->next())
        bytes += piece;
    co_return bytes;
}

/// Downloads from a store with external download URLs.
std::optional<std::string> fetch(
    WorkerDeps const& deps, blobs::Key const& key, std::int64_t size_bytes, std::stop_token const& stop)
{
    http_client::Request request;
    request.url = deps.blobs.download_url({.key = key,
                                              .size_bytes = size_bytes,
                                              .content_type = "application/octet-stream",
                                              .filename = "attachment",
                                              .expires = deps.clock.now() + 5min},
        {});
    request.timeout = timeout;
    request.max_response_bytes = static_cast<std::size_t>(size_bytes);
    request.stop = stop;
    request.stop_grace = stop_grace;
    try {
        auto response = deps.client.send(request);
        if (response.status == 404) return std::nullopt;
        if (response.status != 200) throw unavailable();
        return std::move(response.body);
    } catch (http_client::Error const& error) {
        if (error.kind() == http_client::Error::Kind::too_large) return std::nullopt;
        throw unavailable();
    }
}

} // namespace

std::optional<std::string> read_upload(
    WorkerDeps const& deps, blobs::Key const& key, std::int64_t size_bytes, std::stop_token const& stop)
{
    auto* const local = deps.blobs.local();
    auto bytes = local != nullptr ? core::wait(deps.io.get_executor(), read_local(*local, key, size_bytes))
                                  : fetch(deps, key, size_bytes, stop);
    if (bytes && bytes->size() != static_cast<std::size_t>(size_bytes)) return std::nullopt;
    return bytes;
}

} // namespace notify
