#pragma once

#include "http/router.hpp"
#include "oauth/errors.hpp"
#include "oauth/introspect.hpp"
#include "oauth/pushed_requests.hpp"
#include "oauth/revoke.hpp"
#include "oauth/token.hpp"
#include "oauth/userinfo.hpp"

#include <array>

namespace auth_mfa::oauth {

/// A route that clients call. Errors have the form of OAuth. The handlers authenticate the client, except
/// those of userinfo, where an access token suffices.
inline constexpr http::RouteOptions client_options{.error_response = error_response};

/// The endpoints of OAuth and OpenID Connect that the contract describes.
inline constexpr auto routes = [] {
    using enum http::Method;
    constexpr auto anyone = core::Access::anonymous;
    constexpr auto any_token = core::Access::any_user | core::Access::client;
    return std::to_array<http::Route<Deps>>({
        // authorization; GET and POST /oauth/authorize are pages
        {post, "/oauth/par", anyone, post_pushed_request, client_options},

        // tokens
        {post, "/oauth/token", anyone, post_token, client_options},
        {post, "/oauth/revoke", anyone, post_revoke, client_options},
        {post, "/oauth/introspect", anyone, post_introspect, client_options},
        {get, "/oauth/userinfo", any_token, get_userinfo, client_options},
        {post, "/oauth/userinfo", anyone | any_token, get_userinfo, client_options},
    });
}();

} // namespace auth_mfa::oauth
