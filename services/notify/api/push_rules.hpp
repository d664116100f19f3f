#pragma once

#include "deps.hpp"
#include "domain/push_payload.hpp"
#include "http/message.hpp"

namespace notify {

/// Throws VALIDATION_ERROR if the push exceeds the size limit of every carrier.
void require_push_size(PushMessage const& message);

/// Throws PUSH_CHANNEL_DISABLED unless the scope has a carrier and `pushEnabled` is true in its settings.
asio::awaitable<void> require_push_enabled(http::Request const& req, Deps& deps, bool has_carrier);

} // namespace notify
