#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace auth_mfa {

/// A code that stands in for a lost factor, once: 80 bits as `XXXX-XXXX-XXXX-XXXX` in Crockford's base32. The
/// first group finds its row, the other three are the secret.
struct RecoveryCode {
    std::string locator; ///< 4 characters
    std::string secret;  ///< 12 characters

    /// Reads a code as people copy it: in either case, with dashes and spaces anywhere or nowhere, `O` for
    /// `0`, `I` and `L` for `1` (Crockford's decoding). nullopt when it is no such code.
    static std::optional<RecoveryCode> parse(std::string_view text);

    /// `XXXX-XXXX-XXXX-XXXX`
    std::string text() const;
};

inline constexpr std::size_t recovery_code_count = 10;

/// A new set, whose locators all differ.
std::vector<RecoveryCode> make_recovery_codes();

} // namespace auth_mfa
