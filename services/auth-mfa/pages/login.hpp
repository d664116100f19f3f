#pragma once

#include "pages/page.hpp"

namespace auth_mfa::pages {

/// GET /login: email and password, or a passkey. A signed-in user goes on to the account's page.
asio::awaitable<http::Response> get_login(Page& page);
/// POST /login: fields `email`, `password` and `next`.
asio::awaitable<http::Response> post_login(Page& page);
/// POST /login/passkey: fields `credential` (JSON, made by the script) and `next`.
asio::awaitable<http::Response> post_login_passkey(Page& page);

/// GET /login/verify: the second factor. The query `method` selects one of the user's factors.
asio::awaitable<http::Response> get_login_verify(Page& page);
/// POST /login/verify: fields `method`, `code` or `credential`, and `trust` to trust the browser.
asio::awaitable<http::Response> post_login_verify(Page& page);
/// POST /login/send: sends a code by SMS.
asio::awaitable<http::Response> post_login_send(Page& page);

/// POST /logout
asio::awaitable<http::Response> post_logout(Page& page);

} // namespace auth_mfa::pages
