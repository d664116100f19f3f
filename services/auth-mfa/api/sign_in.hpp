#pragma once

#include "api/session.hpp"
#include "deps.hpp"
#include "http/message.hpp"

namespace auth_mfa {

/// What follows a first factor that was right (register, login, external): a session, or 403 `mfa_required`
/// with an `mfa_token` when the user has a second factor and has not trusted this browser. With SMS as the
/// only factor a code is sent; whether that worked the answer does not say. Redis away: 503.
asio::awaitable<http::Response> finish_sign_in(
    http::Request const& req, Deps& deps, User const& user, SignIn const& sign_in);

/// POST /v1/auth/mfa/challenge
asio::awaitable<http::Response> send_challenge(http::Request const& req, Deps& deps);
/// POST /v1/auth/mfa/verify
asio::awaitable<http::Response> verify_challenge(http::Request const& req, Deps& deps);

} // namespace auth_mfa
