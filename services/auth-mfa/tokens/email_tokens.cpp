#include "tokens/email_tokens.hpp"

#include "core/hex.hpp"
#include "crypto/encoding.hpp"
#include "crypto/hash.hpp"
#include "crypto/hmac.hpp"

namespace auth_mfa {

EmailTokens::EmailTokens(crypto::Keyring const& keyring) : keys_(keyring.derive("auth-mfa.email_tokens")) {}

std::vector<std::string> EmailTokens::candidates(core::Scope const& scope, core::Uuid const& mail_id) const
{
    std::string const text = core::to_string(scope.id) + ':' + mail_id.to_string();
    std::vector<std::string> tokens;
    for (auto const& key : keys_)
        tokens.push_back(crypto::base64url::encode(crypto::view(crypto::hmac_sha256(key.reveal(), text))));
    return tokens;
}

std::string EmailTokens::hash(std::string_view token)
{
    return core::hex::encode(crypto::view(crypto::sha256(token)));
}

} // namespace auth_mfa
