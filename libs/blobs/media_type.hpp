#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace blobs {

/// What may be attached.
inline constexpr std::array<std::string_view, 11> media_types{"image/png", "image/jpeg", "image/gif",
    "image/webp", "video/mp4", "application/pdf", "application/json", "application/zip", "application/gzip",
    "text/plain", "text/csv"};

/// The entry of `media_types` that is `name`, in static storage; empty when it is not among them. Exact:
/// lower case, no parameters.
std::string_view known_media_type(std::string_view name) noexcept;

/// Whether a Content-Type field (RFC 9110, 8.3.1) names the type `name`: neither case nor parameters matter.
bool is_media_type(std::string_view field, std::string_view name) noexcept;

/// How many bytes `fits_media_type` looks at.
inline constexpr std::size_t media_type_head = 16;

/// Whether a file of type `name` may begin with `head` (its first 16 bytes, or all of fewer). Only png, jpeg,
/// gif, webp, pdf, zip and gzip have a signature that can be missing.
bool fits_media_type(std::string_view head, std::string_view name) noexcept;

} // namespace blobs
