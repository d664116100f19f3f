#pragma once

#include "http/message.hpp"

#include <cstddef>
#include <string>

namespace billing {

/// Maximum length of a user id in code points. User ids are opaque and stored unchanged.
inline constexpr std::size_t max_user_id = 255;

/// The path parameter `userId`. Throws VALIDATION_ERROR if it is too long.
std::string const& user_id_of(http::Request const& req);

} // namespace billing
