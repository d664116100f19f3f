#pragma once

#include "core/id.hpp"

#include <compare>
#include <string>

namespace auth_mfa {

/// The id of a user: the primary key of the table `users`, and `sub` of the user's tokens. A type of its own,
/// so that it cannot be passed as the id of a session or a device.
class UserId {
public:
    constexpr UserId() = default; ///< the nil UUID

    constexpr explicit UserId(core::Uuid const& id) : uuid_(id) {}

    constexpr core::Uuid const& uuid() const noexcept { return uuid_; }

    std::string to_string() const { return uuid_.to_string(); }

    friend constexpr auto operator<=>(UserId const&, UserId const&) = default;

private:
    core::Uuid uuid_;
};

} // namespace auth_mfa
