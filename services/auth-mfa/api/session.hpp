#pragma once

#include "deps.hpp"
#include "domain/errors.hpp"
#include "http/message.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace auth_mfa {

/// How somebody signed in, and how that is answered.
struct SignIn {
    std::vector<std::string_view> amr; ///< RFC 8176: `pwd`, `sms`, `otp`, `mfa`, ...
    unsigned status = 200;
    bool with_user = true;                           ///< whether the answer has `user`
    core::Error (*outdated)() = credentials_changed; ///< when the credentials are no longer what was shown
};

/// The tokens of a session, as they are answered.
struct Granted {
    Grant grant;
    std::int64_t generation = 1;
    unsigned status = 200;
    User const* user = nullptr; ///< shown as `user` unless null
};

/// `{accessToken, refreshToken, expiresIn[, user]}`; not to be cached. `deps.tokens` is ready.
http::Response answer_tokens(http::Request const& req, Deps const& deps, Granted const& granted);

/// Opens a session and answers `{accessToken, refreshToken, expiresIn[, user]}`. Every factor has been
/// passed. `sign_in.outdated()` when the user's credentials have changed since `user` was read.
asio::awaitable<http::Response> open_session(
    http::Request const& req, Deps& deps, User const& user, SignIn const& sign_in);

/// The user of the request's access token. UNAUTHORIZED when its session has ended: a token outlives it.
User signed_in_user(pg::Tx& tx, http::Request const& req, Deps const& deps);
/// The same, locked until the transaction ends.
User lock_signed_in_user(pg::Tx& tx, http::Request const& req, Deps const& deps);

/// Whether the caller still is what the route asks for: a user's session lives and their role of today is
/// among `allowed`. UNAUTHORIZED or FORBIDDEN otherwise; the operator always may. Answers what the caller is
/// today.
core::Access require_role(pg::Tx& tx, http::Request const& req, Deps const& deps, core::Access allowed);

/// The session the request's access token belongs to.
core::Uuid session_of(http::Request const& req);

/// `User-Agent`, at most 255 characters of printable ASCII; what sessions and devices are shown with.
std::string user_agent(http::Request const& req);

} // namespace auth_mfa
