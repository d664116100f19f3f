#pragma once

#include "deps.hpp"
#include "http/message.hpp"

namespace notify {

/// GET /v1/suppressions: `{items: [{channel, address, reason, createdAt}], cursor}`, newest first. Nothing is
/// sent to these addresses, because their owners opted out at the provider. Of an erased user's address, only
/// the beginning of a hash is shown: `hash:0123456789ab`.
asio::awaitable<http::Response> list_suppressions(http::Request const& req, Deps& deps);

/// DELETE /v1/suppressions/{address}. Permits messages to the address again. Use this request if the owner of
/// the address has asked for messages. The provider may refuse messages until the owner also ends the opt-out
/// at the provider. Throws NOT_FOUND if the address is not suppressed.
asio::awaitable<http::Response> delete_suppression(http::Request const& req, Deps& deps);

} // namespace notify
