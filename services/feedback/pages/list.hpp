#pragma once

#include "deps.hpp"
#include "http/message.hpp"

namespace feedback::pages {

/// GET /board: the posts, with search, filters and pages.
asio::awaitable<http::Response> get_list(http::Request const& req, Deps& deps);
/// GET /board/roadmap: the posts by status.
asio::awaitable<http::Response> get_roadmap(http::Request const& req, Deps& deps);

} // namespace feedback::pages
