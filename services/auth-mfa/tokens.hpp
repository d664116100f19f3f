#pragma once

#include "auth/jwks.hpp"
#include "core/clock.hpp"
#include "core/identity.hpp"
#include "core/secret.hpp"
#include "crypto/keyring.hpp"
#include "domain/session.hpp"
#include "signer.hpp"

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace auth_mfa {

namespace asio = boost::asio;

/// The service's public base URLs, which tokens contain as their issuer (`iss`).
class Issuer {
public:
    /// If `base_host` is `localhost` or a subdomain of it, the scheme is `http` and `local_port` is the port
    /// in the URL. With 0 or 80, the URL has no port.
    explicit Issuer(std::string base_host, std::uint16_t local_port);

    /// The issuer of a scope's tokens, such as `https://demo-sandbox.auth.example.com`.
    std::string of(core::Scope const& scope) const;

    /// The URL of the base host, which names no tenant, such as `https://auth.example.com`.
    std::string base() const;

private:
    std::string base_host_;
    std::string scheme_ = "https://";
    std::string port_;
};

/// The contents of an access token.
struct Grant {
    core::Uuid user_id;
    std::string_view email;
    Role role = Role::user;
    core::Uuid session_id;
    std::span<std::string const> amr;
};

/// The contents of an authentic refresh token.
struct RefreshToken {
    core::Uuid session_id;
    std::int64_t generation = 0;
};

/// Creates the access and refresh tokens of sessions, and verifies refresh tokens. Thread-safe.
class Tokens {
public:
    /// All arguments must outlive this object. `signer` is the source of `jwks`, so refetching `jwks` also
    /// loads the signing keys.
    Tokens(std::shared_ptr<Signer> signer, auth::Jwks& jwks, crypto::Keyring const& keyring,
        core::Clock const& clock, Issuer issuer);

    /// Returns once a signing key is loaded. Throws UNAVAILABLE if no key can be read.
    asio::awaitable<void> ready();

    /// A JWT that expires after 900 s (auth/token_claims.hpp). Await `ready` first. Throws UNAVAILABLE
    /// if there is no signing key.
    std::string access_token(core::Scope const& scope, Grant const& grant) const;

    /// base64url of the session's id, the generation and their HMAC for this scope. Tokens are not stored.
    std::string refresh_token(core::Scope const& scope, core::Uuid session_id, std::int64_t generation) const;

    /// The contents of the refresh token `text`; nullopt when the token is malformed, forged or of another
    /// scope.
    std::optional<RefreshToken> read_refresh_token(core::Scope const& scope, std::string_view text) const;

    /// The published key set (JSON). Await `ready` first.
    std::string jwks() const { return signer_->jwks(); }

    Issuer const& issuer() const noexcept { return issuer_; }

private:
    std::shared_ptr<Signer> signer_;
    auth::Jwks& jwks_;
    core::Clock const& clock_;
    Issuer const issuer_;
    std::vector<core::Secret> const refresh_keys_;
};

} // namespace auth_mfa
