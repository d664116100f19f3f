#pragma once

#include "pages/page.hpp"

/// The pages that change the account. All need a session (signed_in).
namespace auth_mfa::pages {

/// GET /account/password
asio::awaitable<http::Response> get_account_password(Page& page);
/// POST /account/password: fields `currentPassword` and `newPassword`.
asio::awaitable<http::Response> post_account_password(Page& page);

/// GET /account/email
asio::awaitable<http::Response> get_account_email(Page& page);
/// POST /account/email: field `newEmail`.
asio::awaitable<http::Response> post_account_email(Page& page);

/// GET /account/factor/{factor}/remove: the factor is `sms` or `totp`.
asio::awaitable<http::Response> get_remove_factor(Page& page);
/// POST /account/factor/{factor}/remove: field `code`, of the authenticator app or a recovery code.
asio::awaitable<http::Response> post_remove_factor(Page& page);

/// GET /account/passkeys/{passkeyId}/remove
asio::awaitable<http::Response> get_remove_passkey(Page& page);
/// POST /account/passkeys/{passkeyId}/remove
asio::awaitable<http::Response> post_remove_passkey(Page& page);

/// GET /account/codes
asio::awaitable<http::Response> get_account_codes(Page& page);
/// POST /account/codes: makes new recovery codes and shows them once.
asio::awaitable<http::Response> post_account_codes(Page& page);

/// GET /account/delete
asio::awaitable<http::Response> get_account_delete(Page& page);
/// POST /account/delete: field `email`, the account's email, against accidents.
asio::awaitable<http::Response> post_account_delete(Page& page);

} // namespace auth_mfa::pages
