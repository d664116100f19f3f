#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace auth_mfa {

/// A single-use code for a user who lost a factor: 80 bits as `XXXX-XXXX-XXXX-XXXX` in Crockford's base32.
/// The first group finds the row; the other three are the secret.
struct RecoveryCode {
    std::string locator; ///< 4 characters
    std::string secret;  ///< 12 characters

    /// Reads a code as people type it (Crockford's decoding): ignores case, dashes and spaces, reads `O` as
    /// `0` and `I` and `L` as `1`. nullopt when the text is malformed.
    static std::optional<RecoveryCode> parse(std::string_view text);

    /// `XXXX-XXXX-XXXX-XXXX`
    std::string text() const;
};

inline constexpr std::size_t recovery_code_count = 10;

/// `recovery_code_count` new codes with different locators.
std::vector<RecoveryCode> make_recovery_codes();

} // namespace auth_mfa
