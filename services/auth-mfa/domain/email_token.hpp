#pragma once

#include "core/clock.hpp"
#include "core/enum_names.hpp"
#include "domain/user_id.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace auth_mfa {

using core::to_string;

/// The operation that a token from an email permits.
enum class TokenPurpose : std::uint8_t {
    verify_email,   ///< proves that the user receives mail at the account's address
    reset_password, ///< sets a new password
    confirm_email,  ///< makes the address to which the token was sent the account's address
    revert_email,   ///< restores the previous address
    invitation,     ///< sets the first password of an invited user
};

constexpr auto enum_names(TokenPurpose)
{
    return std::to_array<std::string_view>(
        {"verify_email", "reset_password", "confirm_email", "revert_email", "invitation"});
}

/// How long a token is valid. `revert_email` counts from the change, the others from the latest attempt to
/// send the email.
constexpr std::chrono::seconds lifetime_of(TokenPurpose purpose) noexcept
{
    using namespace std::chrono;
    switch (purpose) {
    case TokenPurpose::verify_email:
    case TokenPurpose::invitation:
        return days(7);
    case TokenPurpose::revert_email:
        return hours(72);
    default:
        return minutes(30);
    }
}

/// A valid token, as stored.
struct EmailToken {
    std::string hash; ///< EmailTokens::hash
    TokenPurpose purpose = TokenPurpose::verify_email;
    UserId user_id;
    std::string email;         ///< the address to which the token was sent
    bool was_verified = false; ///< revert_email only: whether `email` was verified before the change
    /// confirm_email only: the version of the user's credentials when the user requested the change. Under
    /// another version the token is refused, because the session that requested the change may have ended.
    std::optional<std::int64_t> credentials_version;
    core::Time created_at;
};

} // namespace auth_mfa
