#pragma once

#include "core/caller.hpp"
#include "core/clock.hpp"
#include "core/enum_names.hpp"
#include "domain/user_id.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace auth_mfa {

using core::to_string;

/// A user's role.
enum class Role : std::uint8_t { user, admin, owner };

constexpr auto enum_names(Role)
{
    return std::to_array<std::string_view>({"user", "admin", "owner"});
}

/// The state of an account.
enum class UserStatus : std::uint8_t {
    active,
    disabled, ///< cannot sign in
    invited,  ///< has not accepted the invitation yet, so it has no password
};

constexpr auto enum_names(UserStatus)
{
    return std::to_array<std::string_view>({"active", "disabled", "invited"});
}

/// The access of a caller with this role.
constexpr core::Access access_of(Role role) noexcept
{
    return role == Role::owner ? core::Access::owner
                               : (role == Role::admin ? core::Access::admin : core::Access::user);
}

/// An account of one scope.
struct User {
    UserId id;
    std::string email; ///< as entered; compared in lower case (core::lower)
    /// PHC string of Argon2id, or an imported bcrypt hash. Absent for invited users and for users who only
    /// have an identity.
    std::optional<std::string> password_hash;
    /// Increases with every change of the password, the factors, the email or the status, when an identity is
    /// unlinked, and when staff reset the factors or end the sessions. A sign-in that began under an older
    /// version cannot open a session.
    std::int64_t credentials_version = 1;
    Role role = Role::user;
    UserStatus status = UserStatus::active;
    bool email_verified = false;
    std::optional<std::string> phone; ///< E.164; kept when the SMS factor is removed
    bool phone_verified = false;      ///< the SMS factor is enrolled
    /// The SMS factor was enrolled with the fixed code of a test phone, so the user has not proved to own
    /// the phone.
    bool phone_is_test = false;
    bool totp = false;    ///< the TOTP factor is enrolled
    bool passkey = false; ///< the user has a passkey
    core::Time created_at;
    core::Time updated_at;

    bool has_password() const noexcept { return password_hash.has_value(); }

    bool has_factor() const noexcept { return phone_verified || totp || passkey; }
};

} // namespace auth_mfa
