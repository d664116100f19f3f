#pragma once

#include "deps.hpp"
#include "domain/id_token.hpp"
#include "http/message.hpp"
#include "storage/sessions.hpp"

namespace auth_mfa {

/// POST /v1/auth/reauthenticate
asio::awaitable<http::Response> reauthenticate(http::Request const& req, Deps& deps);
/// The part of `reauthenticate` before its response. Returns the contents of the session's next access
/// token.
asio::awaitable<sessions::TokenContents> reauthenticate_session(http::Request const& req, Deps& deps);
/// As `reauthenticate_session`, with an identity that its provider has proved, instead of the body.
asio::awaitable<sessions::TokenContents> reauthenticate_with_identity(
    http::Request const& req, Deps& deps, ExternalIdentity const& identity);
/// POST /v1/auth/reauthenticate/challenge
asio::awaitable<http::Response> send_reauthentication_code(http::Request const& req, Deps& deps);

} // namespace auth_mfa
