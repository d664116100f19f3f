#include "state/keyed_hash.hpp"

#include "crypto/encoding.hpp"
#include "crypto/hmac.hpp"

namespace auth_mfa {

KeyedHash::KeyedHash(crypto::Keyring const& keyring) : key_(keyring.derive("auth-mfa.state").front()) {}

std::string KeyedHash::operator()(std::initializer_list<std::string_view> parts) const
{
    std::string text;
    for (auto const part : parts)
        text.append(std::to_string(part.size())).append(":").append(part);
    return crypto::hex::encode(crypto::view(crypto::hmac_sha256(key_.reveal(), text)));
}

} // namespace auth_mfa
