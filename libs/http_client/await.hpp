#pragma once

#include "http_client/async_client.hpp"

#include <boost/asio/awaitable.hpp>

namespace http_client {

/// Sends a request and returns its result, without a thread that waits. Resumes the caller on its own
/// executor. `client` must outlive the request.
boost::asio::awaitable<Result> send(AsyncClient& client, Request request);

} // namespace http_client
