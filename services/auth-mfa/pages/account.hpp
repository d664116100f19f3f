#pragma once

#include "pages/page.hpp"

/// The account's page and its buttons. All need a session (signed_in).
namespace auth_mfa::pages {

/// GET /account
asio::awaitable<http::Response> get_account(Page& page);
/// GET /account/activity: the query `cursor` continues the list.
asio::awaitable<http::Response> get_account_activity(Page& page);
/// GET /account/export: everything that is stored of the account, as a file.
asio::awaitable<http::Response> get_account_export(Page& page);

// The buttons of the account's page. Their forms have no fields. The path has the id of the thing that the
// button acts on.

/// POST /account/verification: sends the email with the link that verifies the address.
asio::awaitable<http::Response> post_account_verification(Page& page);
/// POST /account/sessions/end: ends all other sessions.
asio::awaitable<http::Response> post_end_other_sessions(Page& page);
/// POST /account/sessions/{sessionId}/end
asio::awaitable<http::Response> post_end_session(Page& page);
/// POST /account/devices/forget: forgets all trusted browsers.
asio::awaitable<http::Response> post_forget_devices(Page& page);
/// POST /account/devices/{deviceId}/forget
asio::awaitable<http::Response> post_forget_device(Page& page);
/// POST /account/identities/{identityId}/unlink
asio::awaitable<http::Response> post_unlink_identity(Page& page);

} // namespace auth_mfa::pages
