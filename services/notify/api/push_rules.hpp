#pragma once

#include "deps.hpp"
#include "domain/push_payload.hpp"
#include "http/message.hpp"

namespace notify {

/// Throws VALIDATION_ERROR when a push is too large for every carrier, so that it could only fail.
void require_fitting(PushMessage const& message);

/// Throws PUSH_CHANNEL_DISABLED unless the scope has a platform and its settings leave push switched on.
asio::awaitable<void> require_push(http::Request const& req, Deps& deps, bool has_platform);

} // namespace notify
