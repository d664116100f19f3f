#include "crypto/hkdf.hpp"

#include "crypto/openssl.hpp"

#include <openssl/core_names.h>
#include <openssl/kdf.h>
#include <openssl/params.h>

#include <array>

namespace crypto {

namespace {

using Kdf = detail::Owned<EVP_KDF, &EVP_KDF_free>;
using KdfContext = detail::Owned<EVP_KDF_CTX, &EVP_KDF_CTX_free>;

OSSL_PARAM bytes(char const* name, std::string_view value)
{
    // OpenSSL does not write to parameters that it reads.
    return OSSL_PARAM_construct_octet_string(name, const_cast<char*>(value.data()), value.size());
}

} // namespace

std::string hkdf_sha256(
    std::string_view secret, std::string_view salt, std::string_view info, std::size_t size)
{
    static Kdf const kdf(EVP_KDF_fetch(nullptr, "HKDF", nullptr));
    detail::require(kdf != nullptr, "EVP_KDF_fetch");
    KdfContext const context(EVP_KDF_CTX_new(kdf.get()));
    std::string digest = "SHA256";
    std::array const parameters{OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, digest.data(), 0),
        bytes(OSSL_KDF_PARAM_KEY, secret), bytes(OSSL_KDF_PARAM_SALT, salt), bytes(OSSL_KDF_PARAM_INFO, info),
        OSSL_PARAM_construct_end()};
    std::string derived(size, '\0');
    detail::require(
        context && EVP_KDF_derive(context.get(), detail::out(derived), size, parameters.data()) == 1, "HKDF");
    return derived;
}

} // namespace crypto
