#pragma once

#include "deps.hpp"
#include "flows/open_session.hpp"
#include "http/message.hpp"

namespace auth_mfa {

/// POST /v1/auth/external
asio::awaitable<http::Response> sign_in_externally(http::Request const& req, Deps& deps);
/// The part of sign_in_externally before its response.
asio::awaitable<SignedIn> sign_in_with_id_token(http::Request const& req, Deps& deps);

} // namespace auth_mfa
