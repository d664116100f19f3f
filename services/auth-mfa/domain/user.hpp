#pragma once

#include "core/clock.hpp"
#include "core/id.hpp"
#include "core/identity.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace auth_mfa {

/// What a user may do; an enum's number is its place in the list.
enum class Role : std::uint8_t { user, admin, owner };

inline constexpr std::array<std::string_view, 3> roles{"user", "admin", "owner"};

constexpr std::string_view to_string(Role role) noexcept
{
    return roles[static_cast<std::size_t>(role)];
}

/// The role of that name. Throws std::invalid_argument: names come from the database or were validated.
Role parse_role(std::string_view name);

/// The kind of caller a user with this role is.
constexpr core::Access access_of(Role role) noexcept
{
    return role == Role::owner ? core::Access::owner
                               : (role == Role::admin ? core::Access::admin : core::Access::user);
}

/// An account of one scope.
struct User {
    core::Uuid id;
    std::string email;                        ///< as it was given; told apart by core::lower
    std::optional<std::string> password_hash; ///< PHC string; absent: signs in through an identity provider
    /// Counts the changes after which what was proved before no longer opens a session: of the password and
    /// of factors, and an admin's reset.
    std::int64_t credentials_version = 1;
    Role role = Role::user;
    std::optional<std::string> phone; ///< E.164; kept when the SMS factor is removed
    bool phone_verified = false;      ///< the SMS factor is enrolled
    bool totp = false;                ///< the TOTP factor is enrolled
    core::Time created_at;
    core::Time updated_at;

    bool has_password() const noexcept { return password_hash.has_value(); }

    bool has_factor() const noexcept { return phone_verified || totp; }
};

} // namespace auth_mfa
