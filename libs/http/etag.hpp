#pragma once

#include "http/message.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace http {

/// The strong entity tag (RFC 9110, 8.8.3) of an opaque value, which must be printable ASCII without quotes:
/// `"<opaque>"`.
std::string etag(std::string_view opaque);

/// The entity tag of an object with a version number.
std::string etag(std::int64_t version);

/// In a tag, the text after the last mark is of counters that others change at any time, for example votes.
/// A new value is another representation, but does not refuse a change with `If-Match`.
inline constexpr char counters_mark = '~';

/// Whether the request has an `If-None-Match` that matches `current`, by weak comparison (RFC 9110, 13.1.2).
/// If so, the client has the current representation, and a GET is answered with 304.
bool is_not_modified(http::Request const& request, std::string_view current) noexcept;

/// Throws PRECONDITION_FAILED (412) if the request has `If-Match` (`*`, or a list of entity tags) and none of
/// its lines matches `current` by strong comparison (RFC 9110, 13.1.1). A malformed list matches nothing.
/// `current` is the object's tag in this transaction. Counters in the tags are not compared.
void check_if_match(http::Request const& request, std::string_view current);

/// Compares `If-Match` with the tag of `version`, the version of an object that this transaction has locked.
void check_if_match(http::Request const& request, std::int64_t version);

} // namespace http
