#pragma once

#include "deps.hpp"
#include "http/message.hpp"

namespace billing {

/// GET /v1/stats?from=&to=: the numbers of each product and day, and the current monthly recurring revenue.
asio::awaitable<http::Response> get_stats(http::Request const& req, Deps& deps);

/// Every report counts as expensive, because it has a row for each product and day.
inline bool is_report(http::Request const&)
{
    return true;
}

} // namespace billing
