#pragma once

#include "pages/page.hpp"

/// The authorization endpoint (RFC 6749, 3.1; OpenID Connect Core 1.0, 3.1.2).
///
/// A request whose needs are met gets a code at once. Otherwise it is stored, and the browser goes to the
/// page that the next step needs. That page returns to GET /oauth/continue/{request}, which decides again. A
/// stored request belongs to the browser that brought it, and leads to one response. Unknown clients and
/// redirect URIs get an error page, all other errors go to the client.
namespace auth_mfa::pages {

/// GET /oauth/authorize
asio::awaitable<http::Response> get_authorize(Page& page);

/// POST /oauth/authorize: stores the request, and sends the browser to GET /oauth/authorize. Browsers do not
/// send the cookies of the session with a form of another site.
asio::awaitable<http::Response> post_authorize(http::Request const& req, Deps& deps);

/// GET /oauth/continue/{request}: the response to the client, the page of the next step, or the choice of the
/// account. The query `cancel=1` refuses the request.
asio::awaitable<http::Response> get_continue(Page& page);

/// POST /oauth/continue/{request}: field `choice`, which is `continue` for the account of the session, or
/// `other` to sign out and use another account.
asio::awaitable<http::Response> post_continue(Page& page);

} // namespace auth_mfa::pages
