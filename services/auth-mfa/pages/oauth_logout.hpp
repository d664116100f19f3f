#pragma once

#include "pages/page.hpp"

/// The end session endpoint (OpenID Connect RP-Initiated Logout 1.0).
namespace auth_mfa::pages {

/// GET /oauth/logout: query `id_token_hint`, `client_id`, `post_logout_redirect_uri`, `state`. Signs the
/// browser out at once if the hint is of its session. Otherwise asks the user. Then returns to the client.
asio::awaitable<http::Response> get_oauth_logout(Page& page);

/// POST /oauth/logout: a form of another site with the same parameters. 303 to the GET with them, because the
/// browser sends this host's cookies only with that.
asio::awaitable<http::Response> post_oauth_logout(http::Request const& req, Deps& deps);

/// POST /oauth/logout/confirm: the user wants to sign out. Fields `client_id`, `post_logout_redirect_uri` and
/// `state`.
asio::awaitable<http::Response> post_oauth_logout_confirm(Page& page);

} // namespace auth_mfa::pages
