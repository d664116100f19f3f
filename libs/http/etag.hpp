#pragma once

#include "http/message.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace http {

/// The strong entity tag (RFC 9110, 8.8.3) for an opaque value of printable ASCII without quotes:
/// `"<opaque>"`.
std::string etag(std::string_view opaque);

/// That of an object that counts its writes.
std::string etag(std::int64_t version);

/// Whether an `If-Match` field value (`*`, or a list of entity tags) names `current`, by strong comparison: a
/// weak tag
/// (`W/"…"`) never matches (RFC 9110, 8.8.3.2 and 13.1.1). Text that is not such a list matches nothing.
bool matches(std::string_view if_match, std::string_view current) noexcept;

/// Whether the request has an `If-None-Match` that names `current`, by weak comparison (RFC 9110, 13.1.2):
/// the client knows what it would be sent, and 304 is the answer to a GET.
bool is_known(http::Request const& request, std::string_view current) noexcept;

/// Throws PRECONDITION_FAILED (412) when the request has an `If-Match` and none of its lines names `current`,
/// the tag of the object as it is in this transaction.
void check_if_match(http::Request const& request, std::string_view current);

/// The same of an object that counts its writes, as it is locked in this transaction.
void check_if_match(http::Request const& request, std::int64_t version);

} // namespace http
