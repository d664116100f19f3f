#pragma once

#include "deps.hpp"
#include "http/message.hpp"

#include <cstddef>

namespace auth_mfa {

/// The maximum size of a logo in bytes.
inline constexpr std::size_t max_logo_bytes = std::size_t{256} * 1024;

/// PUT /v1/settings/logo: the body is the image.
asio::awaitable<http::Response> put_logo(http::Request const& req, Deps& deps);
/// DELETE /v1/settings/logo
asio::awaitable<http::Response> delete_logo(http::Request const& req, Deps& deps);
/// GET /logo: the image, for browsers.
asio::awaitable<http::Response> get_logo(http::Request const& req, Deps& deps);

} // namespace auth_mfa
