#pragma once

#include "pages/page.hpp"

namespace auth_mfa::pages {

/// GET /register: email and password of a new account. A signed-in user goes on to the account's page. If the
/// tenant's sign-up is closed, the page says so, with 403.
asio::awaitable<http::Response> get_register(Page& page);
/// POST /register: fields `email`, `password` and `next`. If the user must verify the email before the first
/// session, the page tells the user to check the email.
asio::awaitable<http::Response> post_register(Page& page);

} // namespace auth_mfa::pages
