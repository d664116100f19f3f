#pragma once

#include "deps.hpp"
#include "domain/errors.hpp"
#include "http/message.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace auth_mfa {

/// How the user signed in, and what the response contains.
struct SignIn {
    std::vector<std::string_view> amr; ///< methods of authentication (RFC 8176): `pwd`, `sms`, ...
    unsigned status = 200;
    bool with_user = true;                           ///< whether the response has `user`
    core::Error (*outdated)() = credentials_changed; ///< the error if the credentials have changed
};

/// A session, and what the response with its tokens contains.
struct Granted {
    Grant grant;
    std::int64_t generation = 1;
    unsigned status = 200;
    User const* user = nullptr; ///< the member `user` of the response; null: no such member
};

/// The response `{accessToken, refreshToken, expiresIn[, user]}`, with `Cache-Control: no-store`. Await
/// `deps.tokens.ready()` first.
http::Response answer_tokens(http::Request const& req, Deps const& deps, Granted const& granted);

/// Opens a session and answers `{accessToken, refreshToken, expiresIn[, user]}`. The caller has checked every
/// factor. Throws `sign_in.outdated()` when the user's credentials have changed since `user` was read.
asio::awaitable<http::Response> open_session(
    http::Request const& req, Deps& deps, User const& user, SignIn const& sign_in);

/// The user of the request's access token. Throws UNAUTHORIZED when the token's session has ended: an access
/// token can outlive its session.
User signed_in_user(pg::Tx& tx, http::Request const& req, Deps const& deps);
/// Like signed_in_user, but also locks the user until the transaction ends.
User lock_signed_in_user(pg::Tx& tx, http::Request const& req, Deps const& deps);

/// Checks that the caller still has the access that the route requires. Throws UNAUTHORIZED when the user's
/// session has ended, or FORBIDDEN when the user's current role is not in `allowed`. Callers without a user
/// token are not checked again. Returns the caller's current access.
core::Access require_role(pg::Tx& tx, http::Request const& req, Deps const& deps, core::Access allowed);

/// The session of the request's access token. Throws UNAUTHORIZED when the token does not name a
/// session.
core::Uuid session_of(http::Request const& req);

/// The `User-Agent` that sessions and devices show: at most 255 characters, printable ASCII only.
std::string user_agent(http::Request const& req);

} // namespace auth_mfa
