#pragma once

#include "deps.hpp"
#include "http/message.hpp"
#include "storage/sessions.hpp"

namespace auth_mfa {

/// POST /v1/auth/reauthenticate
asio::awaitable<http::Response> reauthenticate(http::Request const& req, Deps& deps);
/// The part of `reauthenticate` before its response. Returns the contents of the session's next access
/// token.
asio::awaitable<sessions::TokenContents> reauthenticate_session(http::Request const& req, Deps& deps);
/// POST /v1/auth/reauthenticate/challenge
asio::awaitable<http::Response> send_reauthentication_code(http::Request const& req, Deps& deps);

} // namespace auth_mfa
