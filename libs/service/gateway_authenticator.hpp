#pragma once

#include "auth/keys.hpp"
#include "auth/master_key.hpp"
#include "auth/user_tokens.hpp"
#include "core/identity.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

namespace service {

namespace asio = boost::asio;

/// A caller whose credential is good, and the scope it is good for.
struct Identity {
    core::Caller caller;
    std::int64_t key_scope = 0;    ///< API key: its scope
    auth::UserTokens::Token token; ///< user token: its claims
};

/// Turns a bearer token into a caller. By form: an API key of this service, a JWT, else the
/// operator's key.
class GatewayAuthenticator {
public:
    /// `keys` and `user_tokens` may be null; all outlive this object.
    GatewayAuthenticator(
        auth::Keys* keys, auth::UserTokens* user_tokens, auth::MasterKey const& master_key) noexcept
        : keys_(keys), user_tokens_(user_tokens), master_key_(master_key)
    {
    }

    struct Known {
        bool decided = false;             ///< false: `verify` has to ask the database or the token issuer
        std::optional<Identity> identity; ///< when decided: who it is, or nullopt when it is refused
    };

    /// Everything that can be said at once.
    Known check(std::string_view token) const;

    /// The caller of a token that `check` has left undecided, or nullopt when the credential is refused.
    /// Throws UNAVAILABLE when that cannot be found out.
    asio::awaitable<std::optional<Identity>> verify(std::string_view token) const;

private:
    auth::Keys* keys_;
    auth::UserTokens* user_tokens_;
    auth::MasterKey const& master_key_;
};

} // namespace service
