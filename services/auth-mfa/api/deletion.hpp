#pragma once

#include "deps.hpp"
#include "http/message.hpp"

namespace auth_mfa {

/// Handles `DELETE /v1/auth/me`: deletes the account of the caller, who must have authenticated recently
/// (require_fresh). Ends all sessions at once. Responds with `{"deleted": true, "erasureId": …}`. The other
/// services erase the user's data afterwards (GET /v1/erasures). Throws CONFLICT for the last owner.
asio::awaitable<http::Response> delete_me(http::Request const& req, Deps& deps);

/// Handles `DELETE /v1/members/{userId}`, as `delete_me`. Throws FORBIDDEN if an admin or a key deletes an
/// owner, and if callers delete themselves.
asio::awaitable<http::Response> delete_member(http::Request const& req, Deps& deps);

} // namespace auth_mfa
