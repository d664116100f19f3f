#pragma once

#include "core/user_id.hpp"
#include "http/message.hpp"

#include <cstddef>

namespace billing {

/// Maximum length of a user id in code points. User ids are opaque and stored unchanged.
inline constexpr std::size_t max_user_id = 255;

/// The path parameter `userId`. Throws VALIDATION_ERROR if it is too long.
core::UserId user_id_of(http::Request const& req);

/// As `user_id_of`, for routes on which users may read their own data. Throws NOT_FOUND if the caller has the
/// role `user` and the id is another user's. The error does not depend on whether this user exists.
core::UserId readable_user_id_of(http::Request const& req);

} // namespace billing
