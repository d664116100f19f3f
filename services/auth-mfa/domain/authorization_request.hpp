#pragma once

#include "core/clock.hpp"
#include "core/error.hpp"
#include "domain/client.hpp"
#include "domain/parameters.hpp"
#include "domain/user_id.hpp"

#include <boost/json/object.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// The error codes of authorization requests that a page answers, because no redirect URI is certain.
namespace auth_mfa::codes {

inline constexpr core::ErrorCode unknown_client{"UNKNOWN_CLIENT", 400};
inline constexpr core::ErrorCode redirect_uri_not_registered{"REDIRECT_URI_NOT_REGISTERED", 400};
inline constexpr core::ErrorCode authorization_expired{"AUTHORIZATION_EXPIRED", 410};

} // namespace auth_mfa::codes

/// Authorization requests (RFC 6749, 4.1.1; OpenID Connect Core 1.0, 3.1.2.1).
namespace auth_mfa {

/// The lengths in bytes up to which parameters are accepted.
inline constexpr std::size_t max_state = 2'048, max_nonce = 512, max_login_hint = 254, max_ui_locales = 200,
                             max_requested_scope = 1'000;

/// How long a request waits for its user.
inline constexpr std::chrono::hours authorization_lifetime{1};
/// How long a pushed request can be used (RFC 9126, 2.2).
inline constexpr std::chrono::seconds pushed_request_lifetime{60};
/// How the `request_uri` of a pushed request begins.
inline constexpr std::string_view pushed_request_prefix = "urn:ietf:params:oauth:request_uri:";

/// A request whose parameters are valid for its client.
struct AuthorizationRequest {
    std::string client_id;
    std::string redirect_uri;   ///< registered for the client
    std::string state;          ///< empty: none
    std::string scope;          ///< the known ones of the requested scopes; may be empty
    std::string nonce;          ///< empty: none
    std::string code_challenge; ///< S256; empty: none
    bool silent = false;        ///< `prompt=none`: no page may be shown
    bool signs_in = false;      ///< `prompt=login`: the user must authenticate again
    bool selects = false;       ///< `prompt=select_account`: the user must choose the account
    bool aal2 = false;          ///< `acr_values`: the authentication must be of `aal2`
    std::optional<std::chrono::seconds> max_age; ///< the maximum age of the authentication
    std::string login_hint;                      ///< empty: none
    std::string ui_locales;                      ///< empty: none
    /// The user named by `id_token_hint`, as text; empty: there was no hint, or it could not be verified.
    std::string hinted_user;
    bool bad_hint = false; ///< whether the hint could not be verified
    core::Time created_at; ///< when the browser brought the request
};

/// Reads all parameters except `client_id`, `redirect_uri` and `id_token_hint`, and takes the client and the
/// URI from the arguments. Parameters without a value count as absent, and unknown parameters and scopes are
/// ignored. Throws an error with a code of domain/oauth_errors.hpp: `invalid_request`,
/// `unsupported_response_type`, `request_not_supported` or `registration_not_supported`.
AuthorizationRequest read_authorization_request(
    Parameters const& parameters, Client const& client, std::string redirect_uri, core::Time now);

/// The request as JSON, for storage, and back. Throws if `stored` is not the result of `to_json`.
boost::json::object to_json(AuthorizationRequest const& request);
AuthorizationRequest authorization_request_of(boost::json::object const& stored);

/// The browser's session, as far as it matters to a request.
struct BrowserSession {
    UserId user_id;
    core::Time authenticated_at;
    bool aal2 = false;
    bool has_factor = false; ///< whether the user has a second factor; used only if `aal2` is false
};

/// What a request needs before its client gets a code.
enum class AuthorizationStep : std::uint8_t {
    issue,      ///< nothing
    sign_in,    ///< a session
    choose,     ///< the user must choose the account
    other_user, ///< the session is of another user than the hinted one; the user must choose another account
    wrong_user, ///< the user chose another account than the hinted one
    confirm,    ///< the user must authenticate again, or with a second factor
    enrol,      ///< the user needs a second factor and has none
};

/// The next step of the request. `session` is null if no user is signed in. `is_new`: the browser brings the
/// request now, so no authentication has followed it yet.
AuthorizationStep next_step(
    AuthorizationRequest const& request, BrowserSession const* session, bool is_new, core::Time now);

/// The error code of OAuth for a step that cannot be taken, because the request is silent or the user
/// cancelled it.
core::ErrorCode code_of_refused(AuthorizationStep step, bool cancelled) noexcept;

} // namespace auth_mfa
