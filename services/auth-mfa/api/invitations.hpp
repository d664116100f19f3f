#pragma once

#include "deps.hpp"
#include "flows/open_session.hpp"
#include "http/message.hpp"

namespace auth_mfa {

/// POST /v1/auth/invitations/accept
asio::awaitable<http::Response> accept_invitation(http::Request const& req, Deps& deps);
/// The part of accept_invitation before its response.
asio::awaitable<SignedIn> accept_invited(http::Request const& req, Deps& deps);

} // namespace auth_mfa
