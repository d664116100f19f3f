#pragma once

#include "deps.hpp"
#include "flows/open_session.hpp"
#include "http/message.hpp"

namespace auth_mfa {

/// POST /v1/auth/mfa/challenge
asio::awaitable<http::Response> send_challenge(http::Request const& req, Deps& deps);
/// POST /v1/auth/mfa/verify
asio::awaitable<http::Response> verify_challenge(http::Request const& req, Deps& deps);
/// The part of verify_challenge before its response. The cookie of a trusted device is in
/// SignedIn::headers.
asio::awaitable<SignedIn> verify_second_factor(http::Request const& req, Deps& deps);

} // namespace auth_mfa
