#include "blobs/media_type.hpp"

#include "core/error.hpp"
#include "core/text.hpp"

#include <algorithm>

using namespace std::string_view_literals;

namespace blobs {

namespace {

struct Signature {
    std::string_view type;
    std::string_view bytes;
    std::size_t offset = 0;
};

// The bytes with which files of a type begin. If a type has several entries, each of them is allowed. RIFF
// files have their type at offset 8.
constexpr std::array signatures{
    Signature{"image/png", "\x89PNG\r\n\x1a\n"sv},
    Signature{"image/jpeg", "\xff\xd8\xff"sv},
    Signature{"image/gif", "GIF87a"sv},
    Signature{"image/gif", "GIF89a"sv},
    Signature{"image/webp", "WEBP"sv, 8},
    Signature{"video/mp4", "ftyp"sv, 4}, // libmagic does not know all brands of ISO 14496-12
    Signature{"application/pdf", "%PDF-"sv},
    Signature{"application/zip", "PK\x03\x04"sv},
    Signature{"application/zip", "PK\x05\x06"sv}, // an empty archive
    Signature{"application/zip", "PK\x07\x08"sv}, // a spanned archive
    Signature{"application/gzip", "\x1f\x8b\x08"sv},
};

bool matches(std::string_view head, Signature const& signature) noexcept
{
    if (head.size() < signature.offset + signature.bytes.size()) return false;
    if (signature.type == "image/webp" && !head.starts_with("RIFF")) return false;
    return head.substr(signature.offset, signature.bytes.size()) == signature.bytes;
}

/// Whether files of type `name` begin like `head`. False for types without a signature.
bool begins_like(std::string_view head, std::string_view name) noexcept
{
    return std::ranges::any_of(signatures,
        [&](Signature const& signature) { return signature.type == name && matches(head, signature); });
}

bool is_text_type(std::string_view name) noexcept
{
    return name == "text/plain" || name == "text/csv" || name == "application/json";
}

/// Whether `detected` is another name for files of type `name`.
bool is_alias(std::string_view detected, std::string_view name) noexcept
{
    return (name == "video/mp4" && detected == "video/x-m4v") ||
           (name == "application/gzip" && detected == "application/x-gzip");
}

} // namespace

std::string_view known_media_type(std::string_view name) noexcept
{
    auto const* const found = std::ranges::find(media_types, name);
    return found == media_types.end() ? std::string_view{} : *found;
}

bool is_media_type(std::string_view field, std::string_view name) noexcept
{
    return core::equal_ignoring_case(core::trim(field.substr(0, field.find(';'))), name);
}

bool fits_media_type(Content const& content, std::string_view name) noexcept
{
    if (is_text_type(name)) {
        auto const known = known_media_type(content.type);
        return content.is_text && (known.empty() || is_text_type(known));
    }
    if (content.type == name || is_alias(content.type, name)) return true;
    return (content.type == unknown_type || name == "application/zip") && begins_like(content.head, name);
}

void require_media_type(Content const& content, std::string_view name)
{
    if (fits_media_type(content, name)) return;
    throw core::Error::validation({{"", "content",
        "must be a file of type " + std::string(name) + ", but the content looks like " + content.type +
            ". Declare the type of the content in the presign request"}});
}

} // namespace blobs
