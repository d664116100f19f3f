#pragma once

#include "deps.hpp"
#include "http/message.hpp"

namespace billing {

/// GET /v1/users/{userId}/features/{feature}
asio::awaitable<http::Response> check_feature(http::Request const& req, Deps& deps);

} // namespace billing
