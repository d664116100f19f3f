#pragma once

#include "pages/page.hpp"

/// The pages that add a second factor, for a signed-in user or during a sign-in that requires a factor. Each
/// names the account. If neither a session nor such a sign-in exists, all but /enroll lead to the sign-in
/// page; if the authentication is not recent, to the page that asks for it.
namespace auth_mfa::pages {

/// GET /enroll: the choice of a factor. For everybody else, a public page with the consent text of messages,
/// which carriers want to see.
asio::awaitable<http::Response> get_enroll(Page& page);

/// GET /enroll/sms: asks for the phone number.
asio::awaitable<http::Response> get_enroll_sms(Page& page);
/// POST /enroll/sms: sends a code. Fields `country` and `phone`.
asio::awaitable<http::Response> post_enroll_sms(Page& page);
/// GET /enroll/sms/code: asks for the code. The query `sent=again` confirms that another code was sent.
asio::awaitable<http::Response> get_enroll_sms_code(Page& page);
/// POST /enroll/sms/code: field `code`. Responds with the recovery codes, if they are new.
asio::awaitable<http::Response> post_enroll_sms_code(Page& page);
/// POST /enroll/sms/resend: sends another code to the same number.
asio::awaitable<http::Response> post_enroll_sms_resend(Page& page);

/// GET /enroll/totp: what an authenticator app is.
asio::awaitable<http::Response> get_enroll_totp(Page& page);
/// POST /enroll/totp: makes the secret, and shows it with its QR code.
asio::awaitable<http::Response> post_enroll_totp(Page& page);
/// POST /enroll/totp/code: fields `code` and `secret`, which the page shows again after a wrong code.
/// Responds like POST /enroll/sms/code.
asio::awaitable<http::Response> post_enroll_totp_code(Page& page);

/// GET /enroll/passkey: asks for a name.
asio::awaitable<http::Response> get_enroll_passkey(Page& page);
/// POST /enroll/passkey: fields `name` and `credential` (JSON, made by the script). Responds like POST
/// /enroll/sms/code.
asio::awaitable<http::Response> post_enroll_passkey(Page& page);

} // namespace auth_mfa::pages
