#pragma once

#include "core/error.hpp"
#include "deps.hpp"
#include "http/message.hpp"
#include "storage/sessions.hpp"
#include "tokens/tokens.hpp"

#include <string>
#include <variant>

namespace auth_mfa {

/// Why a refresh token was refused.
enum class RefusedRefresh : std::uint8_t {
    invalid,           ///< unknown, expired, used, of another client, or the session has ended
    email_not_verified ///< the settings require a verified email
};

/// Rotates the session of the refresh token. `client_id` is the client that presents the token, empty for the
/// app itself: a token of another client is refused, and stays valid for its own client. A used token that is
/// presented again after the retry window may be stolen, so it ends the session. Call it when
/// `deps.tokens.ready()` has succeeded, because the token is used up.
asio::awaitable<std::variant<sessions::TokenContents, RefusedRefresh>> refresh_session(
    http::Request const& req, Deps& deps, RefreshToken const& token, std::string client_id);

} // namespace auth_mfa
