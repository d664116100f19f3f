#pragma once

#include "domain/identity.hpp"
#include "pages/page.hpp"

#include <vector>

/// Sign-in with identity providers at which the tenant has a client.
namespace auth_mfa::pages {

/// Adds the list `providers` with a button for each provider, if there are any.
asio::awaitable<void> add_providers(Page const& page, Data& data);

/// As `add_providers`, with the providers of these identities only.
asio::awaitable<void> add_providers_of(
    Page const& page, Data& data, std::vector<LinkedIdentity> const& identities);

/// GET /oauth/external/{name}: sends the browser to the provider. The query `next` is the page to show after
/// the sign-in. If it leads to an authorization request with `prompt=login` or `max_age`, the provider must
/// authenticate the user again. With the query `link`, a token of the account's page, the provider's account
/// is linked to the account of the signed-in user, who must have authenticated recently. With the query
/// `confirm`, a token of the page /account/confirm, the signed-in user authenticates again.
asio::awaitable<http::Response> get_external(Page& page);

/// GET /oauth/external/callback: the provider sends the browser back. Signs in, links the account,
/// or makes the authentication of the session fresh.
asio::awaitable<http::Response> get_external_callback(Page& page);

/// POST /oauth/external/callback: the same with `response_mode=form_post`. Another site sends this request,
/// so browsers send it without the cookies of this host. The response leads to the GET of this path, with
/// which they send them.
asio::awaitable<http::Response> post_external_callback(http::Request const& req, Deps& deps);

} // namespace auth_mfa::pages
