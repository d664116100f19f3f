#pragma once

#include <cstddef>
#include <cstdint>

namespace notify {

/// How many files an email may have, and how many bytes, decoded, together; a single upload may have as many.
inline constexpr std::size_t max_attachments = 10;
inline constexpr std::int64_t max_attachment_bytes = 10'485'760;

} // namespace notify
