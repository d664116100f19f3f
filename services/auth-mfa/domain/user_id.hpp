#pragma once

#include "core/id.hpp"

namespace auth_mfa {

/// The id of a user: the primary key of the table `users`, and `sub` of the user's tokens.
struct UserId : core::Uuid {
    constexpr UserId() = default; ///< the nil UUID

    constexpr explicit UserId(core::Uuid const& id) : Uuid(id) {}
};

} // namespace auth_mfa
