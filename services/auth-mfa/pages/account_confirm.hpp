#pragma once

#include "pages/page.hpp"

/// The page on which a signed-in user authenticates again. Its address has the parameter `next`, the page
/// that needs this.
namespace auth_mfa::pages {

/// GET /account/confirm. The query `method` selects one of the user's methods.
asio::awaitable<http::Response> get_account_confirm(Page& page);
/// POST /account/confirm: fields `method`, and `password`, `code` or `credential` (JSON, made by the script).
asio::awaitable<http::Response> post_account_confirm(Page& page);
/// 303 to `next` or the account's page, with a new cookie for the session, whose user has authenticated
/// again.
http::Response after_confirmation(
    Page& page, sessions::TokenContents const& contents, std::string const& next);
/// POST /account/confirm/send: sends a code by SMS.
asio::awaitable<http::Response> post_account_confirm_send(Page& page);

} // namespace auth_mfa::pages
