#pragma once

#include "core/error.hpp"
#include "deps.hpp"
#include "http/message.hpp"

namespace feedback {

/// GET /unsubscribe/{token}: a page with two forms, which end the recipient's emails about the thread, or all
/// emails of the scope. Changes nothing, because mail scanners open links.
asio::awaitable<http::Response> get_unsubscribe(http::Request const& req, Deps& deps);

/// POST /unsubscribe/{token}: ends the recipient's emails about the thread, with `?all=true` all emails of
/// the scope. Mail programs send it without the user (RFC 8058). The body is ignored.
asio::awaitable<http::Response> post_unsubscribe(http::Request const& req, Deps& deps);

/// GET /unsubscribe.css: the style sheet of the page.
asio::awaitable<http::Response> get_unsubscribe_style(http::Request const& req, Deps& deps);

/// The page for an error of these routes.
http::Response unsubscribe_error_page(http::Request const& req, core::Error const& error);

} // namespace feedback
