#pragma once

#include <string_view>

namespace mail {

/// Whether `text` is a media type without parameters (RFC 9110, 8.3.1): `type/subtype`, each 1 to 127
/// characters that are allowed in type names (RFC 6838, 4.2).
bool is_bare_media_type(std::string_view text) noexcept;

} // namespace mail
