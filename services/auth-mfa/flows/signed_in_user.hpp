#pragma once

#include "core/error.hpp"
#include "deps.hpp"
#include "domain/user.hpp"
#include "http/message.hpp"
#include "pg/tx.hpp"

/// The user of a request with an access token. An access token can outlive its session, so every function
/// throws UNAUTHORIZED when the token's session has ended. On routes that permit enrolment tokens
/// (Access::enrolment), the user is the token's; such a token has no session.
namespace auth_mfa {

/// The error for a token whose session has ended.
core::Error session_ended();

/// The user of the request's access token.
asio::awaitable<User> signed_in_user(http::Request const& req, Deps& deps);
/// Like the other overload, in the caller's transaction.
User signed_in_user(pg::Tx& tx, http::Request const& req, Deps const& deps);
/// Like signed_in_user, but also locks the user until the transaction ends.
User lock_signed_in_user(pg::Tx& tx, http::Request const& req, Deps const& deps);

/// Checks that the caller still has the access that the route requires. Throws FORBIDDEN when the user's
/// current role is not in `allowed`. Callers without a user token are not checked again. Returns the caller's
/// current access.
core::Access require_role(pg::Tx& tx, http::Request const& req, Deps const& deps, core::Access allowed);

/// The same check for the shared routes of webhooks and of keys, whose handlers know no users.
asio::awaitable<void> require_staff(http::Request const& req, Deps& deps);
asio::awaitable<void> require_owner(http::Request const& req, Deps& deps);

/// The id of the session of the request's access token. Throws UNAUTHORIZED when the token does not name a
/// session.
core::Uuid session_id_of(http::Request const& req);

} // namespace auth_mfa
