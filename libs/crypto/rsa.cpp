#include "crypto/rsa.hpp"

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/param_build.h>
#include <openssl/params.h>

namespace crypto::detail {

namespace {

using Builder = Owned<OSSL_PARAM_BLD, &OSSL_PARAM_BLD_free>;
using Parameters = Owned<OSSL_PARAM, &OSSL_PARAM_free>;

constexpr int min_bits = 2048;
constexpr int max_bits = 8192; // other issuers choose the key, and a larger key makes verification slow
constexpr int max_exponent_bits = 33;

Number number_of(std::string_view bytes)
{
    if (bytes.size() > max_bits / 8 + 1) return nullptr;
    return Number(BN_bin2bn(in(bytes), static_cast<int>(bytes.size()), nullptr));
}

std::string bytes_of(EVP_PKEY* key, char const* parameter)
{
    BIGNUM* read = nullptr;
    require(EVP_PKEY_get_bn_param(key, parameter, &read) == 1, "EVP_PKEY_get_bn_param");
    Number const number(read);
    std::string bytes(static_cast<std::size_t>(BN_num_bytes(number.get())), '\0');
    BN_bn2bin(number.get(), out(bytes));
    return bytes;
}

} // namespace

Key rsa_public_key(std::string_view n, std::string_view e)
{
    Number const modulus = number_of(n);
    Number const exponent = number_of(e);
    if (!modulus || !exponent) return nullptr;
    int const bits = BN_num_bits(modulus.get());
    bool const sound = bits >= min_bits && bits <= max_bits && BN_is_odd(modulus.get()) &&
                       BN_is_odd(exponent.get()) && BN_num_bits(exponent.get()) > 1 &&
                       BN_num_bits(exponent.get()) <= max_exponent_bits;
    if (!sound) return nullptr;
    Builder const builder(OSSL_PARAM_BLD_new());
    require(builder && OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_N, modulus.get()) == 1 &&
                OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_E, exponent.get()) == 1,
        "OSSL_PARAM_BLD_push_BN");
    Parameters const parameters(OSSL_PARAM_BLD_to_param(builder.get()));
    KeyContext const context(EVP_PKEY_CTX_new_from_name(nullptr, "RSA", nullptr));
    require(parameters && context && EVP_PKEY_fromdata_init(context.get()) == 1, "EVP_PKEY_fromdata_init");
    EVP_PKEY* made = nullptr;
    int const ok = EVP_PKEY_fromdata(context.get(), &made, EVP_PKEY_PUBLIC_KEY, parameters.get());
    Key key(made);
    if (ok == 1) return key;
    ERR_clear_error();
    return nullptr;
}

RsaNumbers rsa_numbers(EVP_PKEY* key)
{
    return {bytes_of(key, OSSL_PKEY_PARAM_RSA_N), bytes_of(key, OSSL_PKEY_PARAM_RSA_E)};
}

bool rsa_verify(EVP_PKEY* key, std::string_view data, std::string_view signature)
{
    DigestContext const context(EVP_MD_CTX_new());
    // PKCS #1 v1.5 is the default of DigestVerify for RSA keys.
    require(context && EVP_DigestVerifyInit_ex(
                           context.get(), nullptr, "SHA256", nullptr, nullptr, key, nullptr) == 1,
        "EVP_DigestVerifyInit_ex");
    if (EVP_DigestVerify(context.get(), in(signature), signature.size(), in(data), data.size()) == 1)
        return true;
    ERR_clear_error();
    return false;
}

} // namespace crypto::detail
