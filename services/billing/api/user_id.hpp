#pragma once

#include "core/user_id.hpp"
#include "http/message.hpp"

#include <cstddef>

namespace billing {

/// Maximum length of a user id in code points. User ids are opaque and stored unchanged.
inline constexpr std::size_t max_user_id = 255;

/// The path parameter `userId`. Throws VALIDATION_ERROR if it is too long.
core::UserId user_id_of(http::Request const& req);

} // namespace billing
