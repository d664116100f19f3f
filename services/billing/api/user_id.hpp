#pragma once

#include "http/message.hpp"

#include <cstddef>
#include <string>

namespace billing {

/// Characters a user id may have. It is opaque, and taken as it comes.
inline constexpr std::size_t max_user_id = 255;

/// The path parameter `userId`. Throws VALIDATION_ERROR when it is too long.
std::string const& user_id_of(http::Request const& req);

} // namespace billing
