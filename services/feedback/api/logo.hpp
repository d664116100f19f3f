#pragma once

#include "deps.hpp"
#include "hosted_pages/logo_handlers.hpp"
#include "http/message.hpp"

namespace feedback {

using hosted_pages::max_logo_bytes;

/// PUT /v1/settings/logo: the body is the image that the board shows.
asio::awaitable<http::Response> put_logo(http::Request const& req, Deps& deps);
/// DELETE /v1/settings/logo
asio::awaitable<http::Response> delete_logo(http::Request const& req, Deps& deps);

} // namespace feedback
