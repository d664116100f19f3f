#pragma once

#include "core/clock.hpp"

#include <chrono>
#include <optional>
#include <string_view>

namespace http {

/// Parses `Retry-After` (RFC 9110, 10.2.3), seconds or a date (IMF-fixdate), into the duration from `now`. A
/// date in the past is 0. The result is limited to one day. nullopt for other text.
std::optional<std::chrono::seconds> parse_retry_after(std::string_view value, core::Time now) noexcept;

} // namespace http
