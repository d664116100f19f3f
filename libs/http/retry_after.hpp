#pragma once

#include "core/clock.hpp"

#include <chrono>
#include <optional>
#include <string_view>

namespace http {

/// The value of `Retry-After` (RFC 9110, 10.2.3), seconds or a date (IMF-fixdate), as how long from `now`; a
/// date that has passed is 0. At most a day: more is not meant. nullopt when it is neither.
std::optional<std::chrono::seconds> parse_retry_after(std::string_view value, core::Time now) noexcept;

} // namespace http
