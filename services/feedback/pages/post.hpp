#pragma once

#include "deps.hpp"
#include "http/message.hpp"

namespace feedback::pages {

/// GET /board/posts/{feedbackId}: a thread and its public replies. Leads to the other thread if this one was
/// merged into it.
asio::awaitable<http::Response> get_post(http::Request const& req, Deps& deps);
/// GET /board/new: the form for a new thread. It works only with the script.
asio::awaitable<http::Response> get_new(http::Request const& req, Deps& deps);
/// GET /board/callback: where the auth host returns to (redirect URI of the client `tetrad-board`).
asio::awaitable<http::Response> get_callback(http::Request const& req, Deps& deps);

} // namespace feedback::pages
