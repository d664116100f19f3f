#pragma once

#include "core/clock.hpp"
#include "domain/feedback.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

/// The words of the board's pages.
namespace feedback::pages {

std::string_view name_of(Status status) noexcept;
std::string_view name_of(Category category) noexcept;

/// The day in UTC: `7 Nov 2026`.
std::string day_of(core::Time time);

/// `1 reply`, `3 replies`; empty for 0.
std::string replies_text(std::int64_t count);

/// The beginning of a text on one line: at most about `limit` bytes, with `…` if it goes on.
std::string excerpt_of(std::string_view text, std::size_t limit);

} // namespace feedback::pages
