#pragma once

#include "core/id.hpp"
#include "core/scope.hpp"
#include "core/secret.hpp"
#include "crypto/keyring.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace auth_mfa {

/// Makes the tokens that are sent by email. A token is an HMAC-SHA-256 of the scope and the email's id under
/// a key of this service: 256 bits that only the recipient and the service can know. So a repeated attempt to
/// send an email sends the same token, and the database stores only the token's hash.
class EmailTokens {
public:
    explicit EmailTokens(crypto::Keyring const& keyring);

    /// The token in the email `mail_id`: 43 characters of base64url.
    std::string make(core::Scope const& scope, core::Uuid const& mail_id) const
    {
        return candidates(scope, mail_id).front();
    }

    /// The tokens that the email may already have: that of the present key first, then those of the keys
    /// before it.
    std::vector<std::string> candidates(core::Scope const& scope, core::Uuid const& mail_id) const;

    /// The stored form of a token: its SHA-256, in hex.
    static std::string hash(std::string_view token);

private:
    std::vector<core::Secret> const keys_;
};

} // namespace auth_mfa
