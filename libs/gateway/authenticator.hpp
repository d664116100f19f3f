#pragma once

#include "auth/api_keys.hpp"
#include "auth/master_key.hpp"
#include "auth/user_tokens.hpp"
#include "core/caller.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

namespace gateway {

namespace asio = boost::asio;

/// The caller of a valid credential, and the scope of the credential.
struct Identity {
    core::Caller caller;
    core::ScopeId key_scope{};     ///< the scope of an API key; 0 for other credentials
    auth::UserTokens::Token token; ///< the claims of a user token; null for other credentials
};

/// Finds the caller of a bearer token. The form of the token decides how it is checked: as an API key of this
/// service, as a JWT, or otherwise as the operator's master key.
class Authenticator {
public:
    /// `keys` and `user_tokens` may be null; all must outlive this object.
    Authenticator(
        auth::ApiKeys* keys, auth::UserTokens* user_tokens, auth::MasterKey const& master_key) noexcept
        : keys_(keys), user_tokens_(user_tokens), master_key_(master_key)
    {
    }

    struct CheckResult {
        bool decided = false; ///< false: `verify` must query the database or fetch the issuer's keys
        /// When decided: the caller, or nullopt when the credential is refused.
        std::optional<Identity> identity;
    };

    /// Checks the token as far as this is possible without I/O.
    CheckResult check(std::string_view token) const;

    /// Checks a token that `check` has not decided. Returns its caller, or nullopt if the credential is
    /// refused. Throws UNAVAILABLE if the token cannot be checked now.
    asio::awaitable<std::optional<Identity>> verify(std::string_view token) const;

private:
    auth::ApiKeys* keys_;
    auth::UserTokens* user_tokens_;
    auth::MasterKey const& master_key_;
};

} // namespace gateway
