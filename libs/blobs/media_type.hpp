#pragma once

#include <array>
#include <cstddef>
#include <string>
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

/// The type of a file's content, detected from the first bytes of the file (TypeDetector).
struct Content {
    std::string type;     ///< media type as libmagic reports it; `unknown_type` if libmagic does not know it
    bool is_text = false; ///< whether the bytes are text, in an encoding that libmagic knows
    std::string head;     ///< the first 16 bytes, or the whole of a shorter file
};

inline constexpr std::string_view unknown_type = "application/octet-stream";

/// The maximum size of `Content::head` in bytes.
inline constexpr std::size_t content_head = 16;

/// Whether a file with this content may have the declared type `name`, an entry of `media_types`. The
/// detected type must equal `name`, with these exceptions:
/// - `text/plain`, `text/csv` and `application/json` accept every text, except the formats that have an entry
///   of their own (a PDF can be text);
/// - `video/mp4` accepts `video/x-m4v`;
/// - `application/gzip` accepts `application/x-gzip`;
/// - `application/zip` accepts every file that begins like a ZIP archive, because formats that are based on
///   ZIP, such as docx, have types of their own;
/// - if libmagic does not know the content, every other type accepts files that begin with its signature.
bool fits_media_type(Content const& content, std::string_view name) noexcept;

/// Throws VALIDATION_ERROR with the code `content` unless `fits_media_type`.
void require_media_type(Content const& content, std::string_view name);

} // namespace blobs
