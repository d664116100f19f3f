#pragma once

#include "core/clock.hpp"
#include "http/message.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <functional>

namespace core {
class ThreadPool;
}

namespace pg {
class Database;
class Tx;
} // namespace pg

namespace hosted_pages {

namespace asio = boost::asio;

/// The maximum size of a logo in bytes.
inline constexpr std::size_t max_logo_bytes = std::size_t{256} * 1024;

/// The parts of a service that the handlers of its logo use.
struct LogoApi {
    pg::Database& db;
    core::ThreadPool& checks; ///< one thread is enough: a check needs much memory (check_image)
    core::Clock const& clock;
    /// Throws FORBIDDEN if the caller may not change the logo. It runs first in the transaction. If it is
    /// empty, the route's access decides alone.
    std::function<void(pg::Tx&, http::Request const&)> authorize{};
};

/// PUT /v1/settings/logo: the body is the image, `image/png` or `image/webp`, at most `max_logo_bytes` (the
/// route's limit of bodies). Stores it, describes it in the member `logo` of the settings document, and
/// records the change. `api` must outlive the call.
asio::awaitable<http::Response> put_logo(http::Request const& req, LogoApi const& api);

/// DELETE /v1/settings/logo. `api` must outlive the call.
asio::awaitable<http::Response> delete_logo(http::Request const& req, LogoApi const& api);

/// The image, for browsers. Throws NOT_FOUND if the environment has none.
asio::awaitable<http::Response> get_logo(http::Request const& req, pg::Database& db);

} // namespace hosted_pages
