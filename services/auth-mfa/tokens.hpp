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

/// Where this service is reached; what tokens name as their issuer.
class Issuer {
public:
    /// `local_port`: of the issuers of a host that is `localhost` or below it, which are `http`; 0: none is
    /// written.
    explicit Issuer(std::string base_host, std::uint16_t local_port);

    /// `https://demo-sandbox.auth.example.com`
    std::string of(core::Scope const& scope) const;

    /// `https://auth.example.com`
    std::string base() const;

private:
    std::string base_host_;
    std::string scheme_ = "https://";
    std::string port_;
};

/// Whom and what an access token is for.
struct Grant {
    core::Uuid user_id;
    std::string_view email;
    Role role = Role::user;
    core::Uuid session_id;
    std::span<std::string const> amr;
};

/// A refresh token taken apart, once its authenticity was checked.
struct RefreshToken {
    core::Uuid session_id;
    std::int64_t generation = 0;
};

/// Makes the tokens that a session lives by. Safe from any thread.
class Tokens {
public:
    /// All outlive this object. `jwks` is fed by `signer`: waiting for it is waiting for the first key.
    Tokens(std::shared_ptr<Signer> signer, auth::Jwks& jwks, crypto::Keyring const& keyring,
        core::Clock const& clock, Issuer issuer);

    /// Returns once there is a key to sign with; UNAVAILABLE when none can be read.
    asio::awaitable<void> ready();

    /// A JWT for 900 s (auth/token_claims.hpp). UNAVAILABLE while there is no key: await `ready` first.
    std::string access_token(core::Scope const& scope, Grant const& grant) const;

    /// base64url of session, generation and their HMAC for this scope: nothing of it is stored.
    std::string refresh_token(core::Scope const& scope, core::Uuid session_id, std::int64_t generation) const;

    /// nullopt when it is malformed, was changed or belongs to another scope.
    std::optional<RefreshToken> read_refresh_token(core::Scope const& scope, std::string_view text) const;

    /// The published key set, as JSON; `ready` has returned before.
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
