#pragma once

#include "api/session.hpp"
#include "deps.hpp"
#include "http/message.hpp"

namespace auth_mfa {

/// Continues a sign-in after its first factor was verified (register, login, external). Opens a session, or
/// throws 403 `mfa_required` with an `mfa_token` when the user has a second factor and does not trust this
/// browser. If SMS is the user's only factor, the function also sends a code; the response does not
/// reveal whether the code was sent. Throws 503 when a challenge is needed and Redis is down.
asio::awaitable<http::Response> finish_sign_in(
    http::Request const& req, Deps& deps, User const& user, SignIn const& sign_in);

/// POST /v1/auth/mfa/challenge
asio::awaitable<http::Response> send_challenge(http::Request const& req, Deps& deps);
/// POST /v1/auth/mfa/verify
asio::awaitable<http::Response> verify_challenge(http::Request const& req, Deps& deps);

} // namespace auth_mfa
