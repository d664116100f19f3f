#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace blobs {

/// The allowed media types of attachments.
inline constexpr std::array<std::string_view, 11> media_types{"image/png", "image/jpeg", "image/gif",
    "image/webp", "video/mp4", "application/pdf", "application/json", "application/zip", "application/gzip",
    "text/plain", "text/csv"};

/// The entry of `media_types` that equals `name`, in static storage; empty if there is none. The comparison
/// is exact: lower case, no parameters.
std::string_view known_media_type(std::string_view name) noexcept;

/// Whether a Content-Type field (RFC 9110, 8.3.1) has the type `name`. Ignores case and parameters.
bool is_media_type(std::string_view field, std::string_view name) noexcept;

/// The number of bytes that `fits_media_type` needs.
inline constexpr std::size_t media_type_head = 16;

/// Whether a file of type `name` may begin with `head` (its first 16 bytes, or the whole of a shorter file).
/// Only png, jpeg, gif, webp, pdf, zip and gzip have a signature to check.
bool fits_media_type(std::string_view head, std::string_view name) noexcept;

} // namespace blobs
