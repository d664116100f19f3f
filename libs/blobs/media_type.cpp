#include "blobs/media_type.hpp"

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

bool fits_media_type(std::string_view head, std::string_view name) noexcept
{
    bool has_signature = false;
    for (Signature const& signature : signatures) {
        if (signature.type != name) continue;
        if (matches(head, signature)) return true;
        has_signature = true;
    }
    return !has_signature;
}

} // namespace blobs
