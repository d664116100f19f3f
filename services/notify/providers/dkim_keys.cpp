#include "providers/dkim_keys.hpp"

#include "core/hex.hpp"
#include "crypto/encoding.hpp"
#include "crypto/hash.hpp"
#include "crypto/rsa_key.hpp"

#include <cstddef>

namespace notify {

DkimKeyPair generate_dkim_key_pair()
{
    auto const key = crypto::RsaSigningKey::generate();
    std::string const der = key.public_der();
    constexpr std::size_t enough = 12;
    crypto::Digest const digest = crypto::sha256(der);
    return {.selector = "ntf-" + core::hex::encode(crypto::view(digest)).substr(0, enough),
        .public_key = crypto::base64::encode(der),
        .private_key = key.to_pem()};
}

} // namespace notify
