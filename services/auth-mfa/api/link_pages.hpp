#pragma once

#include "deps.hpp"
#include "http/message.hpp"

namespace auth_mfa {

// The pages to which the links in mails lead, with the token as `?token=`. They name the tenant's brand. A
// page removes the token from the browser's address, and sends it to the API only when a button is pressed.

/// GET /reset: choose a new password. Without a token, the page asks for the email and requests the link.
asio::awaitable<http::Response> get_reset_page(http::Request const& req, Deps& deps);
/// GET /verify-email: confirm the account's address.
asio::awaitable<http::Response> get_verify_email_page(http::Request const& req, Deps& deps);
/// GET /invite: choose the password of an account that was created for the user.
asio::awaitable<http::Response> get_invite_page(http::Request const& req, Deps& deps);
/// GET /confirm-email: change the account's address to the one that got the mail.
asio::awaitable<http::Response> get_confirm_email_page(http::Request const& req, Deps& deps);
/// GET /revert-email: undo a change of the account's address.
asio::awaitable<http::Response> get_revert_email_page(http::Request const& req, Deps& deps);
/// GET /link.js: the script of these pages.
asio::awaitable<http::Response> get_link_page_script(http::Request const& req, Deps& deps);

} // namespace auth_mfa
