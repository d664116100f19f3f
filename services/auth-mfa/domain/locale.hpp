#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>

namespace auth_mfa {

/// The languages of the hosted pages, the default first (ISO 639-1).
inline constexpr auto page_locales =
    std::to_array<std::string_view>({"en", "de", "fr", "es", "pt", "ja", "ar"});

/// The supported language that a language range (RFC 4647) finds, such as `de` for `de-AT`; nullopt if the
/// range is malformed or finds none. The supported languages are primary subtags in lower case, so the range
/// without its other subtags decides.
std::optional<std::string_view> find_locale(
    std::span<std::string_view const> supported, std::string_view range);

/// The first supported language that the header `Accept-Language` asks for, by quality and then by order
/// (RFC 4647, 3.4). Malformed ranges, `*` and ranges with quality 0 are skipped. Returns the first supported
/// language if no range is left. Takes linear time.
std::string_view choose_locale(std::span<std::string_view const> supported, std::string_view accept_language);

} // namespace auth_mfa
