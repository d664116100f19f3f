#pragma once

#include "core/clock.hpp"
#include "core/id.hpp"
#include "core/scope.hpp"
#include "core/secret.hpp"
#include "crypto/keyring.hpp"
#include "domain/user_id.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace auth_mfa {

/// How long a sign-in on the pages may take between two steps.
inline constexpr std::chrono::minutes sign_in_state_lifetime{10};

/// A session of the pages, as the browser's cookie names it.
struct PageSessionToken {
    core::Uuid session_id;
    UserId user_id;
    /// When the user authenticated. The cookie ends when the user authenticates again, and gets a new one.
    core::Time authenticated_at;
};

/// A sign-in on the pages that has not opened a session yet.
struct SignInState {
    /// The `mfa_token` of a challenge, or an enrolment token if `enrols` is true.
    std::string token;
    bool enrols = false;
    std::string email;                ///< that the user entered; empty if the user signed in without it
    std::vector<std::string> methods; ///< `available_methods`
    std::string next;                 ///< the page to show after the sign-in; may be empty
    core::Time expires_at;
};

/// The values in cookies and forms of the hosted pages. All are bound to the scope, so a value of another
/// tenant or environment is refused. Thread-safe.
class PageTokens {
public:
    explicit PageTokens(crypto::Keyring const& keyring);

    /// base64url of the token's members and their HMAC.
    std::string session(core::Scope const& scope, PageSessionToken const& token) const;
    /// nullopt if `text` is malformed, forged or of another scope.
    std::optional<PageSessionToken> read_session(core::Scope const& scope, std::string_view text) const;

    /// The token of a form against cross-site request forgery: an HMAC of the browser's form cookie and
    /// session cookie (empty if there is none).
    std::string form(
        core::Scope const& scope, std::string_view form_cookie, std::string_view session_cookie) const;
    bool is_form(core::Scope const& scope, std::string_view form_cookie, std::string_view session_cookie,
        std::string_view token) const;

    /// The state, encrypted.
    std::string seal(core::Scope const& scope, SignInState const& state) const;
    /// nullopt if `sealed` is malformed, forged, of another scope, or expired at `now`.
    std::optional<SignInState> open(core::Scope const& scope, std::string_view sealed, core::Time now) const;

private:
    crypto::Keyring const& keyring_;
    std::vector<core::Secret> const keys_;
};

} // namespace auth_mfa
