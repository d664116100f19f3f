#pragma once

#include "auth/jwks.hpp"
#include "auth/token_claims.hpp"
#include "core/caller.hpp"
#include "core/clock.hpp"
#include "core/scope.hpp"

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace auth {

/// The claims of a verified user token.
struct UserToken {
    std::string subject;
    std::string session_id; ///< the claim `sid`; empty in an erasure token
    std::string tenant;     ///< the tenant's slug, which matches the issuer
    core::Environment environment = core::Environment::production;
    std::string role;                           ///< `user`, `admin` or `owner`; empty in an erasure token
    core::Access access = core::Access::user;   ///< `role` as core::Access
    std::string email;                          ///< empty if the token has none
    std::optional<bool> email_verified;         ///< nullopt if the token does not say it
    std::optional<core::Time> authenticated_at; ///< the claim `auth_time`
    bool aal2 = false;                          ///< whether `acr` is `aal2`: the session used a second factor
    std::string client_id; ///< the OAuth client that the token was issued to; empty: no client
    std::string scope;     ///< the scopes of that client's token, separated by spaces
    core::Time issued_at;
    core::Time expires_at;
};

struct UserTokensOptions {
    std::string issuer_host; ///< such as `auth.example.com`
    std::size_t cache_capacity = 50'000;
    /// Whether tokens with the audience `token::enrolment_audience` are accepted, with Access::enrolment.
    bool accept_enrolment = false;
    /// The audience of the erasure tokens that are accepted, with Access::erasure: the service's name. If
    /// empty, none is accepted.
    std::string erasure_audience{};
    /// Whether tokens of OAuth clients have Access::client, not the access of the user's role.
    bool clients_apart = false;
    /// The clients to which `clients_apart` does not apply.
    std::vector<std::string> own_clients{};
};

/// Verifies access tokens of users. A token must have the `typ` `at+jwt`, a valid ES256 signature, and the
/// issuer and audience of token_claims.hpp. It must have `jti` and the claims of UserToken, of which `email`,
/// `email_verified`, `auth_time`, `acr`, `client_id` and `scope` may be absent. `amr` is optional. Clocks may
/// differ by 30 s. A verified token is cached by its SHA-256 for at most one hour. The cached result ends
/// earlier when the token expires or the key set changes. Also verifies erasure tokens
/// (`token::erasure_type`), which have only `sub`, `tenant`, `env`, `jti` and the times, and are valid for at
/// most 300 s. Thread-safe.
class UserTokens {
public:
    /// All references must outlive this object.
    UserTokens(Jwks& jwks, core::Clock const& clock, UserTokensOptions options);
    ~UserTokens();

    using Token = std::shared_ptr<UserToken const>;

    struct Known {
        bool decided = false; ///< false: the key id is unknown; `verify` fetches the key set
        Token token;          ///< if decided: the token, or null if it is refused
    };

    /// Whether `raw` has the form of a JWT: it begins with `eyJ` and has three parts separated by dots.
    static bool is_candidate(std::string_view raw) noexcept;

    /// Checks a token with the current keys. Does not wait for a fetch of the key set.
    Known check(std::string_view raw);

    /// Returns the token, or null if it is refused. An unknown key id causes another fetch of the key set, at
    /// most once per `JwksOptions::min_refetch`. Throws UNAVAILABLE if no key set could be fetched yet.
    asio::awaitable<Token> verify(std::string_view raw);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace auth
