#pragma once

#include "deps.hpp"
#include "hosted_pages/logo_handlers.hpp"
#include "http/message.hpp"

namespace auth_mfa {

using hosted_pages::max_logo_bytes;

/// PUT /v1/settings/logo: the body is the image.
asio::awaitable<http::Response> put_logo(http::Request const& req, Deps& deps);
/// DELETE /v1/settings/logo
asio::awaitable<http::Response> delete_logo(http::Request const& req, Deps& deps);
/// GET /logo: the image, for browsers.
asio::awaitable<http::Response> get_logo(http::Request const& req, Deps& deps);

} // namespace auth_mfa
