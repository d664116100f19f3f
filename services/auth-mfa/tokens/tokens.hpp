#pragma once

#include "auth/jwks.hpp"
#include "core/clock.hpp"
#include "core/scope.hpp"
#include "core/secret.hpp"
#include "crypto/keyring.hpp"
#include "domain/issuer.hpp"
#include "domain/session.hpp"
#include "tokens/signing_key_cache.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/json/object.hpp>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace auth_mfa {

namespace asio = boost::asio;

/// The claims of an access token that differ between sessions.
struct AccessTokenClaims {
    UserId user_id;
    std::string_view email;
    bool email_verified = false;
    Role role = Role::user;
    core::Uuid session_id;
    std::span<std::string const> amr;
    Assurance assurance;
    std::string_view client_id{}; ///< the OAuth client that gets the token; empty: none
    std::string_view scope{};     ///< its scopes, separated by spaces
};

/// The claims of an id token (OpenID Connect Core 1.0, 2). Those of the session are in `session`; `email` is
/// included if the scope names it.
struct IdTokenClaims {
    AccessTokenClaims session;
    std::string_view nonce{};               ///< of the authorization request; empty: none
    std::string_view access_token{};        ///< for `at_hash`
    std::optional<core::Time> updated_at{}; ///< of the user; included if the scope names `profile`
};

/// How long an id token is valid.
inline constexpr std::chrono::seconds id_token_lifetime{900};

/// How long an enrolment token is valid.
inline constexpr std::chrono::minutes enrolment_token_lifetime{10};

/// The contents of an authentic refresh token.
struct RefreshToken {
    core::Uuid session_id;
    std::int64_t generation = 0;
};

/// Creates access, refresh, id, logout, enrolment and erasure tokens. Verifies refresh tokens, and reads the
/// contents of enrolment tokens that others have verified. Thread-safe.
class Tokens {
public:
    /// All arguments must outlive this object. `signing_keys` is the source of `jwks`, so refetching `jwks`
    /// also loads the signing keys.
    Tokens(std::shared_ptr<SigningKeyCache> signing_keys, auth::Jwks& jwks, crypto::Keyring const& keyring,
        core::Clock const& clock, Issuer issuer);

    /// Returns once a signing key is loaded. Throws UNAVAILABLE if no key can be read.
    asio::awaitable<void> ready();

    /// A JWT that expires after 900 s (auth/token_claims.hpp). Await `ready` first. Throws UNAVAILABLE
    /// if there is no signing key.
    std::string access_token(core::Scope const& scope, AccessTokenClaims const& claims) const;

    /// An id token for the client `claims.session.client_id`, signed with `algorithm`. It expires after
    /// `id_token_lifetime`. Await `ready` first. Throws as `access_token`.
    std::string id_token(
        core::Scope const& scope, crypto::SignatureAlgorithm algorithm, IdTokenClaims const& claims) const;

    /// A JWT that tells a client that sessions have ended (OpenID Connect Back-Channel Logout 1.0, 2.4). It
    /// expires after 120 s. `session_id`: the client's session. Await `ready` first. Throws as
    /// `access_token`.
    std::string logout_token(core::Scope const& scope, crypto::SignatureAlgorithm algorithm,
        std::string_view client_id, UserId user_id, core::Uuid session_id) const;

    /// A JWT with the audience `mfa-enrollment`, for a user who proved the first factor but must enrol a
    /// second one before the first session. `identity_provider`: whose id token was the first factor; nullopt
    /// if it was the password. The token expires after `enrolment_token_lifetime`, and ends when the user's
    /// credentials change. Await `ready` first. Throws as `access_token`.
    std::string enrolment_token(core::Scope const& scope, User const& user,
        std::optional<std::string> const& identity_provider) const;

    /// A JWT with the `typ` `erasure+jwt`, with which the service `audience` erases the user. It expires
    /// after 300 s. Await `ready` first. Throws as `access_token`.
    std::string erasure_token(core::Scope const& scope, UserId user_id, std::string_view audience) const;

    /// The sign-in that an enrolment token continues.
    struct Enrolment {
        std::int64_t credentials_version = 0;
        /// The `hash_of_provider` whose id token was the first factor; nullopt if it was the password.
        std::optional<std::string> provider_hash;
    };

    /// Reads the claim `sid` of an enrolment token; nullopt for another claim.
    static std::optional<Enrolment> read_enrolment(std::string_view session_id);

    /// Names an identity provider in an enrolment token, because claims are short and its key is not.
    static std::string hash_of_provider(std::string_view key);

    /// base64url of the session's id, the generation and their HMAC for this scope. Tokens are not stored.
    std::string refresh_token(core::Scope const& scope, core::Uuid session_id, std::int64_t generation) const;

    /// The contents of the refresh token `text`; nullopt when the token is malformed, forged or of another
    /// scope.
    std::optional<RefreshToken> read_refresh_token(core::Scope const& scope, std::string_view text) const;

    /// The published key set (JSON). Await `ready` first.
    std::string jwks() const { return signing_keys_->jwks(); }

    Issuer const& issuer() const noexcept { return issuer_; }

private:
    /// The parts of a JWT that differ between the kinds of tokens.
    struct Kind {
        std::string_view type;
        std::string_view audience;
        std::chrono::seconds lifetime;
        crypto::SignatureAlgorithm algorithm = crypto::SignatureAlgorithm::es256;
    };

    /// A JWT with the claims of every token and `claims`.
    std::string sign(core::Scope const& scope, Kind const& kind, boost::json::object claims) const;

    std::shared_ptr<SigningKeyCache> signing_keys_;
    auth::Jwks& jwks_;
    core::Clock const& clock_;
    Issuer const issuer_;
    std::vector<core::Secret> const refresh_keys_;
};

} // namespace auth_mfa
