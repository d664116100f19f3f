#pragma once

#include "auth/user_tokens.hpp"
#include "deps.hpp"
#include "http/message.hpp"
#include "storage/sessions.hpp"

#include <optional>
#include <string_view>

namespace auth_mfa {

/// A valid access token of the request's environment whose session has not ended.
struct LiveToken {
    auth::UserTokens::Token token;
    sessions::TokenContents session;
};

/// Checks an access token that is a parameter of the request, not its credential. nullopt if it is not a
/// valid access token of the request's environment, or its session has ended. Enrolment tokens are no access
/// tokens. Throws UNAVAILABLE if the signing keys cannot be read.
asio::awaitable<std::optional<LiveToken>> find_live_token(
    http::Request const& req, Deps& deps, std::string_view text);

/// As find_live_token, for a token that the gateway has verified: its session and user.
asio::awaitable<std::optional<sessions::TokenContents>> live_session(
    http::Request const& req, Deps& deps, std::string_view session_id, std::string_view user_id);

} // namespace auth_mfa
