#pragma once

#include "core/clock.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace core {

/// A set of kinds of caller: the kinds that a route allows, or the one kind of a caller.
enum class Access : std::uint16_t {
    anonymous = 1, ///< credentials are ignored
    key = 2,       ///< secret API key of the scope
    publishable_key = 4,
    user = 8,    ///< JWT, role user
    admin = 16,  ///< JWT, role admin
    owner = 32,  ///< JWT, role owner
    master = 64, ///< the operator's master key
    /// JWT that only enrols a second factor (`aud` `mfa-enrollment`). Other routes answer 401.
    enrolment = 128,
    /// JWT with which auth-mfa asks to erase one user (`typ` `erasure+jwt`). Other routes answer 401.
    erasure = 256,
    /// JWT of an OAuth client that acts for a user, in services that tell such tokens apart
    /// (UserTokensOptions).
    client = 512,
    staff = key | admin | owner | master,
    key_or_user = staff | user,
    any_user = user | admin | owner,
    managers = admin | owner | master,
};

constexpr Access operator|(Access a, Access b) noexcept
{
    return static_cast<Access>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}

constexpr bool allows(Access route, Access caller) noexcept
{
    return (static_cast<unsigned>(route) & static_cast<unsigned>(caller)) != 0;
}

/// The authenticated caller. `kind` has exactly one bit of Access set.
struct Caller {
    Access kind = Access::anonymous;
    std::string id;                       ///< JWT: `sub`; API key: `key:<prefix>`; master: `master`
    std::string email;                    ///< JWT only
    std::string session_id;               ///< JWT only: `sid`
    std::string role;                     ///< JWT: its role; API key: `admin`; master: `owner`
    std::optional<bool> email_verified;   ///< JWT only: the claim `email_verified`; nullopt if absent
    std::optional<Time> authenticated_at; ///< JWT only: the claim `auth_time`
    bool aal2 = false;                    ///< JWT only: whether the claim `acr` is `aal2`
    std::string client_id;                ///< JWT of an OAuth client only: the claim `client_id`
    std::string scope;                    ///< likewise: the claim `scope`

    bool is_staff() const noexcept { return allows(Access::staff, kind); }

    bool is_jwt() const noexcept { return allows(Access::any_user, kind); }
};

} // namespace core
