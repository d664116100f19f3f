#pragma once

#include "core/error.hpp"
#include "http/message.hpp"

#include <string_view>

namespace http {

/// Maps an error to an HTTP response. No other function does this. The body is `application/problem+json`
/// (RFC 9457) with `type` about:blank, `title` (the status' reason phrase), `status`, `detail`, `error`,
/// `requestId`, `errors` for validation errors, and the error's own members. The response has the error's
/// headers. Unless the error sets these headers, a 401 gets `WWW-Authenticate: Bearer`, and a 503 gets
/// `Retry-After: 1`.
Response problem(core::Error const& error, std::string_view request_id);

/// The reason phrase of a status (RFC 9110): `Not Found`.
std::string_view reason_phrase(unsigned status) noexcept;

} // namespace http
