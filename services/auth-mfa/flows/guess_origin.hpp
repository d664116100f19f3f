#pragma once

#include "deps.hpp"
#include "domain/user_id.hpp"
#include "http/message.hpp"
#include "state/rate_limits.hpp"

#include <string_view>

/// The origin of a guess of a password or code, for its limits. If the request has the cookie of a trusted
/// device, these functions read the database.
namespace auth_mfa {

/// For a guess for this user. The result refers to `req`.
asio::awaitable<GuessOrigin> guess_origin(http::Request const& req, Deps& deps, UserId user_id);

/// For a guess for the account with this email. An unknown email costs the same statements.
asio::awaitable<GuessOrigin> guess_origin_for_email(
    http::Request const& req, Deps& deps, std::string_view email);

} // namespace auth_mfa
