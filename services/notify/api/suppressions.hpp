#pragma once

#include "deps.hpp"
#include "http/message.hpp"

namespace notify {

/// GET /v1/suppressions: `{items: [{channel, address, reason, createdAt}], cursor}`, newest first: addresses
/// that nothing is sent to any more, because their owners told the provider so.
asio::awaitable<http::Response> list_suppressions(http::Request const& req, Deps& deps);

/// DELETE /v1/suppressions/{address}: lets messages reach the address again, after its owner has asked; the
/// provider may go on refusing until it has heard so too. 404 when it is not on the list.
asio::awaitable<http::Response> delete_suppression(http::Request const& req, Deps& deps);

} // namespace notify
