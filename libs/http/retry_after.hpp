#pragma once

#include "core/clock.hpp"

#include <chrono>
#include <optional>
#include <string_view>

namespace http {

/// Parses an IMF-fixdate (RFC 9110, 5.6.7), the form of the header `Date`: `Sun, 06 Nov 1994 08:49:37 GMT`.
/// nullopt for other text.
std::optional<core::Time> parse_date(std::string_view text) noexcept;

/// Parses `Retry-After` (RFC 9110, 10.2.3), seconds or a date (IMF-fixdate), into the duration from `now`. A
/// date in the past is 0. The result is limited to one day. nullopt for other text.
std::optional<std::chrono::seconds> parse_retry_after(std::string_view value, core::Time now) noexcept;

} // namespace http
