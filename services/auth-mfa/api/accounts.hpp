#pragma once

#include "deps.hpp"
#include "domain/user.hpp"
#include "flows/open_session.hpp"
#include "http/message.hpp"
#include "state/rate_limits.hpp"

#include <optional>

namespace auth_mfa {

/// A new account.
struct Registered {
    User user;
    std::optional<SignedIn> signed_in; ///< nullopt if the user must verify the email before the first session
    Reservation reserved;              ///< of the rate limit that the response shows
};

/// POST /v1/auth/register
asio::awaitable<http::Response> register_user(http::Request const& req, Deps& deps);
/// The part of register_user before its response.
asio::awaitable<Registered> register_account(http::Request const& req, Deps& deps);
/// GET /v1/auth/me
asio::awaitable<http::Response> get_me(http::Request const& req, Deps& deps);
/// POST /v1/auth/password
asio::awaitable<http::Response> change_password(http::Request const& req, Deps& deps);

} // namespace auth_mfa
