#pragma once

#include "auth/jwks.hpp"
#include "auth/token_claims.hpp"
#include "core/clock.hpp"
#include "core/identity.hpp"

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace auth {

/// The claims of a user token that was verified.
struct UserToken {
    std::string subject;
    std::string id;         ///< `jti`
    std::string session_id; ///< `sid`
    std::string tenant;     ///< slug; agrees with the issuer
    core::Environment environment = core::Environment::production;
    std::string role;                         ///< `user`, `admin`, `owner`
    core::Access access = core::Access::user; ///< the role's
    std::string email;                        ///< empty when the token has none
    std::vector<std::string> methods;         ///< `amr`
    core::Time issued_at;
    core::Time expires_at;
};

struct UserTokensOptions {
    std::string issuer_host; ///< `auth.example.com`
    std::size_t cache_capacity = 50'000;
};

/// Verifies access tokens of users: ES256 only, `typ` `at+jwt`, every claim of token_claims.hpp present and
/// right, 30 s of clock skew. What was verified is remembered by its SHA-256 until it expires or the key set
/// changes. Safe from any thread.
class UserTokens {
public:
    /// All outlive this object.
    UserTokens(Jwks& jwks, core::Clock const& clock, UserTokensOptions options);
    ~UserTokens();

    using Token = std::shared_ptr<UserToken const>;

    struct Known {
        bool decided = false; ///< false: its key id is unknown and `verify` may find it
        Token token;          ///< when decided: the token, or null when it is refused
    };

    /// Whether `raw` has the shape of a JWT: three parts with dots between.
    static bool is_candidate(std::string_view raw) noexcept;

    /// Everything that can be decided with the keys at hand.
    Known check(std::string_view raw);

    /// The token, or null when it is refused. An unknown key id fetches the key set again, at most once in 10
    /// s. Throws UNAVAILABLE when no key set could be fetched yet.
    asio::awaitable<Token> verify(std::string_view raw);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace auth
