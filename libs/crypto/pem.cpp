#include "crypto/pem.hpp"

#include <openssl/err.h>
#include <openssl/pem.h>

namespace crypto::detail {

Key read_private_key(std::string_view pem)
{
    // Without a callback OpenSSL would prompt for the password of an encrypted key on the terminal.
    constexpr auto no_password = [](char*, int, int, void*) { return -1; };
    Bio const bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
    Key key(bio ? PEM_read_bio_PrivateKey(bio.get(), nullptr, no_password, nullptr) : nullptr);
    ERR_clear_error();
    return key;
}

core::Secret write_private_key(EVP_PKEY* key)
{
    Bio const bio(BIO_new(BIO_s_secmem()));
    require(bio && PEM_write_bio_PKCS8PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr) == 1,
        "PEM_write_bio_PKCS8PrivateKey");
    char* text = nullptr;
    long const size = BIO_get_mem_data(bio.get(), &text);
    return core::Secret(std::string(text, static_cast<std::size_t>(size)));
}

} // namespace crypto::detail
