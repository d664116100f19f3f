#pragma once

#include "deps.hpp"
#include "domain/errors.hpp"
#include "domain/user.hpp"
#include "http/message.hpp"
#include "storage/sessions.hpp"
#include "tokens/tokens.hpp"

#include <optional>
#include <string>
#include <string_view>
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

/// Opens a session and responds with its tokens: `{accessToken, refreshToken, expiresIn[, user]}`. The caller
/// has checked every factor. Writes the activity and the audit log, announces `session.created`, and sends a
/// notice if the browser is unknown. Throws `sign_in.outdated()` when the user's credentials have changed
/// since `user` was read.
asio::awaitable<http::Response> open_session(
    http::Request const& req, Deps& deps, User const& user, SignIn const& sign_in);

/// The contents of a response with tokens.
struct TokenResponse {
    AccessTokenClaims claims;
    std::int64_t generation = 1; ///< the number of the refresh token
    unsigned status = 200;
    User const* user = nullptr; ///< the member `user` of the response; null: no such member
    std::vector<std::string> const* recovery_codes = nullptr; ///< likewise
};

/// The claims of a session's next access token. They refer to `contents`.
AccessTokenClaims claims_of(sessions::TokenContents const& contents);

/// The response `{accessToken, refreshToken, expiresIn[, user][, recoveryCodes]}`, with `Cache-Control:
/// no-store`. Await `deps.tokens.ready()` first.
http::Response respond_with_tokens(http::Request const& req, Deps const& deps, TokenResponse const& contents);

} // namespace auth_mfa
