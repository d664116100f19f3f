#pragma once

#include "deps.hpp"
#include "http/message.hpp"

namespace billing {

/// POST /v1/backfills
asio::awaitable<http::Response> create_backfill(http::Request const& req, Deps& deps);
/// GET /v1/backfills/{backfillId}
asio::awaitable<http::Response> get_backfill(http::Request const& req, Deps& deps);

} // namespace billing
