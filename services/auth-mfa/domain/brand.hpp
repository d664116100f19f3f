#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace auth_mfa {

/// The maximum length of a brand that a tenant sets itself, in code points of its Normalization Form C.
inline constexpr std::size_t max_own_brand = 30;

/// Why a brand is refused: the code and the detail of a FieldError.
struct BrandFault {
    std::string_view code; ///< `too_long`, `format`, `digits` or `domain_name`
    std::string_view detail;
};

/// The fault of a brand that a tenant sets itself; nullopt if there is none. Messages with the brand come
/// from the sender that all tenants share, so the brand must not be a message of its own. It must
/// - have 1 to `max_own_brand` characters: letters of any script with their marks, digits, spaces and
///   `& . ' -`, and among them at least one letter or digit,
/// - not contain four digits in a row. Spaces and punctuation between digits do not end the row, because
///   phone numbers and codes are also read with them,
/// - not contain a domain name: a dot directly between a word and a word that begins with a letter and has at
///   least two characters. With spaces or other punctuation beside the dot, the second word must be a
///   top-level domain, and the first word must not be `Co`. So `bit.ly` and `bit. ly` are domain names, and
///   `St. Mary`, `S.p.A.` and `Co. KG` are not.
/// The last two rules apply to the form in text messages (sms::gsm7::transliterate), too. `brand` is UTF-8.
std::optional<BrandFault> brand_fault(std::string_view brand);

} // namespace auth_mfa
