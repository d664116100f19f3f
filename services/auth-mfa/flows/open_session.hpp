#pragma once

#include "core/json_writer.hpp"
#include "deps.hpp"
#include "domain/errors.hpp"
#include "domain/user.hpp"
#include "http/message.hpp"
#include "storage/sessions.hpp"
#include "tokens/tokens.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace auth_mfa {

/// The methods with which the user signed in, and the form of the response.
struct SignIn {
    std::vector<std::string_view> amr; ///< methods of authentication (RFC 8176): `pwd`, `sms`, ...
    bool aal2 = false;                 ///< whether a second factor was used
    /// For a sign-in with an id token: IdentityProvider::key.
    std::optional<std::string> identity_provider{};
    unsigned status = 200;
    bool with_user = true;                                    ///< whether the response has `user`
    std::optional<std::vector<std::string>> recovery_codes{}; ///< the member `recoveryCodes` of the response
    core::Error (*outdated)() = credentials_changed;          ///< the error if the credentials have changed
};

/// The session that a sign-in opened, and the contents of the response.
struct SignedIn {
    core::Uuid session_id;
    User user; ///< as read before the session was opened
    std::vector<std::string> amr;
    Assurance assurance;
    unsigned status = 200;
    bool with_user = true;                                    ///< whether the response has `user`
    std::optional<std::vector<std::string>> recovery_codes{}; ///< the member `recoveryCodes` of the response
    /// Further headers of the response, such as the `Set-Cookie` of a trusted device.
    std::vector<std::pair<std::string, std::string>> headers{};
};

/// Opens a session. The caller has checked every factor. Writes the activity and the audit log, announces
/// `session.created`, and sends a notice if the browser is unknown. Throws `sign_in.outdated()` when the
/// user's credentials have changed since `user` was read, and UNAVAILABLE if no tokens can be issued.
asio::awaitable<SignedIn> open_session(
    http::Request const& req, Deps& deps, User const& user, SignIn const& sign_in);

/// The contents of a response with tokens.
struct TokenResponse {
    AccessTokenClaims claims;
    std::int64_t generation = 1; ///< the number of the refresh token
    unsigned status = 200;
    User const* user = nullptr; ///< the member `user` of the response; null: no such member
    std::vector<std::string> const* recovery_codes = nullptr; ///< likewise
    std::function<void(core::JsonWriter&)> more{};            ///< writes further members
};

/// The claims of a session's next access token. They refer to `contents`.
AccessTokenClaims claims_of(sessions::TokenContents const& contents);

/// The response `{accessToken, refreshToken, expiresIn[, user][, recoveryCodes][, …]}`, with `Cache-Control:
/// no-store`. Await `deps.tokens.ready()` first.
http::Response respond_with_tokens(http::Request const& req, Deps const& deps, TokenResponse const& contents);

/// As the other overload, with the first tokens of the opened session and `signed_in.headers`. `more` writes
/// further members.
http::Response respond_with_tokens(http::Request const& req, Deps const& deps, SignedIn const& signed_in,
    std::function<void(core::JsonWriter&)> more = {});

} // namespace auth_mfa
