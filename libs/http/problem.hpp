#pragma once

#include "core/error.hpp"
#include "http/message.hpp"

#include <string_view>

namespace http {

/// The only mapping from an error to HTTP: `application/problem+json` (RFC 9457) with `type` about:blank,
/// `title` (the status' reason phrase), `status`, `detail`, `error`, `requestId`, `errors` for validation,
/// and the error's own members and headers. 401 carries `WWW-Authenticate: Bearer`; 503 always carries
/// `Retry-After`.
Response problem(core::Error const& error, std::string_view request_id);

/// Reason phrase of a status (RFC 9110): `Not Found`.
std::string_view reason_phrase(unsigned status) noexcept;

} // namespace http
