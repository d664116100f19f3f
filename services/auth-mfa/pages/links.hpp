#pragma once

#include "pages/page.hpp"

#include <string>

/// The pages to which the links in mails lead, with the token as `?token=`, and the pages that request such
/// mails. Opening a link changes nothing, because programs that check mails open links, too: the page shows a
/// form with the token, and only the form uses the token up. Without a token, a page says what is missing. A
/// token that is not valid any more gets 410.
namespace auth_mfa::pages {

/// GET /reset: a form for a new password if there is a token, else a form for the email.
asio::awaitable<http::Response> get_reset(Page& page);
/// POST /reset: fields `token` and `password` to set the password, or `email` to request the link. Every
/// email gets the same response.
asio::awaitable<http::Response> post_reset(Page& page);

/// GET /invite
asio::awaitable<http::Response> get_invite(Page& page);
/// POST /invite: fields `token` and `password`. Signs the user in.
asio::awaitable<http::Response> post_invite(Page& page);

/// GET /verify-email: as /verify-email/send if there is no token.
asio::awaitable<http::Response> get_verify_email(Page& page);
/// POST /verify-email: field `token`.
asio::awaitable<http::Response> post_verify_email(Page& page);
/// GET /verify-email/send: a form for the email.
asio::awaitable<http::Response> get_verify_email_send(Page& page);
/// POST /verify-email/send: field `email`. Every email gets the same response.
asio::awaitable<http::Response> post_verify_email_send(Page& page);

/// GET /confirm-email
asio::awaitable<http::Response> get_confirm_email(Page& page);
/// POST /confirm-email: field `token`.
asio::awaitable<http::Response> post_confirm_email(Page& page);

/// GET /revert-email
asio::awaitable<http::Response> get_revert_email(Page& page);
/// POST /revert-email: field `token`.
asio::awaitable<http::Response> post_revert_email(Page& page);

/// Why a mail was sent.
enum class CheckEmail : std::uint8_t { registered, verification, reset };

/// The page that tells the user to open the link in a mail to `email`, with a button to request the mail
/// again.
http::Response show_check_email(Page& page, CheckEmail reason, std::string const& email);

} // namespace auth_mfa::pages
