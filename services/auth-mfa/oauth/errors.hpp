#pragma once

#include "core/error.hpp"
#include "domain/oauth_errors.hpp"
#include "http/message.hpp"

namespace auth_mfa::oauth {

/// The response `{error, error_description}` (RFC 6749, 5.2) with the status and the headers of `error`, and
/// `Cache-Control: no-store`. It is RouteOptions::error_response of the routes that clients call.
http::Response error_response(http::Request const& req, core::Error const& error);

} // namespace auth_mfa::oauth
