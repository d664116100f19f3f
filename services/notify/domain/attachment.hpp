#pragma once

#include <cstddef>
#include <cstdint>

namespace notify {

/// Limits of one email: the number of files, and their decoded size in total, in bytes. A single file may
/// have the total size.
inline constexpr std::size_t max_attachments = 10;
inline constexpr std::int64_t max_attachment_bytes = 10'485'760;

} // namespace notify
