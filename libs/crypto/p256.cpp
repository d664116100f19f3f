#include "crypto/p256.hpp"

#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/params.h>

#include <array>

namespace crypto::detail {

namespace {

constexpr char group[] = "prime256v1";

/// Converts `r || s` to DER, which OpenSSL requires.
std::string to_der(std::string_view signature)
{
    Number r(BN_bin2bn(in(signature), p256_size, nullptr));
    Number s(BN_bin2bn(in(signature.substr(p256_size)), p256_size, nullptr));
    Signature const pair(ECDSA_SIG_new());
    require(r && s && pair, "BN_bin2bn");
    ECDSA_SIG_set0(pair.get(), r.release(), s.release()); // takes both numbers, and does not fail with two
    int const size = i2d_ECDSA_SIG(pair.get(), nullptr);
    require(size > 0, "i2d_ECDSA_SIG");
    std::string der(static_cast<std::size_t>(size), '\0');
    unsigned char* end = out(der);
    require(i2d_ECDSA_SIG(pair.get(), &end) == size, "i2d_ECDSA_SIG");
    return der;
}

std::string from_der(std::string_view der)
{
    unsigned char const* begin = in(der);
    Signature const pair(d2i_ECDSA_SIG(nullptr, &begin, static_cast<long>(der.size())));
    std::string raw(2 * p256_size, '\0');
    require(pair && BN_bn2binpad(ECDSA_SIG_get0_r(pair.get()), out(raw), p256_size) > 0 &&
                BN_bn2binpad(ECDSA_SIG_get0_s(pair.get()), out(raw, p256_size), p256_size) > 0,
        "d2i_ECDSA_SIG");
    return raw;
}

std::string coordinate(EVP_PKEY* key, char const* name)
{
    BIGNUM* number = nullptr;
    int const got = EVP_PKEY_get_bn_param(key, name, &number);
    Number const owner(number);
    std::string bytes(p256_size, '\0');
    require(got == 1 && BN_bn2binpad(number, out(bytes), p256_size) > 0, "EVP_PKEY_get_bn_param");
    return bytes;
}

} // namespace

Key p256_public_key(std::string_view x, std::string_view y)
{
    if (x.size() != p256_size || y.size() != p256_size) return nullptr;
    std::string point = std::string("\x04").append(x).append(y);
    std::string name = group;
    std::array parameters{OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, name.data(), 0),
        OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, point.data(), point.size()),
        OSSL_PARAM_construct_end()};
    KeyContext const context(EVP_PKEY_CTX_new_from_name(nullptr, "EC", nullptr));
    require(context && EVP_PKEY_fromdata_init(context.get()) == 1, "EVP_PKEY_fromdata_init");
    EVP_PKEY* made = nullptr;
    // EVP_PKEY_fromdata refuses points that are not on the curve. The order of P-256 is prime, so no other
    // check is needed.
    int const ok = EVP_PKEY_fromdata(context.get(), &made, EVP_PKEY_PUBLIC_KEY, parameters.data());
    Key key(made);
    if (ok == 1) return key;
    ERR_clear_error();
    return nullptr;
}

Key p256_generate()
{
    Key key(EVP_EC_gen("P-256"));
    require(key != nullptr, "EVP_EC_gen");
    return key;
}

Point p256_point(EVP_PKEY* key)
{
    return {coordinate(key, OSSL_PKEY_PARAM_EC_PUB_X), coordinate(key, OSSL_PKEY_PARAM_EC_PUB_Y)};
}

std::string p256_uncompressed(EVP_PKEY* key)
{
    Point const point = p256_point(key);
    return std::string("\x04").append(point.x).append(point.y);
}

bool is_p256(EVP_PKEY* key)
{
    std::array<char, 64> name{};
    std::size_t size = 0;
    return EVP_PKEY_is_a(key, "EC") == 1 &&
           EVP_PKEY_get_group_name(key, name.data(), name.size(), &size) == 1 &&
           std::string_view(name.data(), size) == group;
}

std::string p256_sign(EVP_PKEY* key, std::string_view data)
{
    DigestContext const context(EVP_MD_CTX_new());
    std::size_t size = 0;
    require(
        context &&
            EVP_DigestSignInit_ex(context.get(), nullptr, "SHA256", nullptr, nullptr, key, nullptr) == 1 &&
            EVP_DigestSign(context.get(), nullptr, &size, in(data), data.size()) == 1,
        "EVP_DigestSignInit_ex");
    std::string der(size, '\0');
    require(EVP_DigestSign(context.get(), out(der), &size, in(data), data.size()) == 1, "EVP_DigestSign");
    der.resize(size);
    return from_der(der);
}

bool p256_verify(EVP_PKEY* key, std::string_view data, std::string_view signature)
{
    if (signature.size() != 2 * p256_size) return false;
    std::string const der = to_der(signature);
    DigestContext const context(EVP_MD_CTX_new());
    require(context && EVP_DigestVerifyInit_ex(
                           context.get(), nullptr, "SHA256", nullptr, nullptr, key, nullptr) == 1,
        "EVP_DigestVerifyInit_ex");
    if (EVP_DigestVerify(context.get(), in(der), der.size(), in(data), data.size()) == 1) return true;
    // If an error stayed in the thread's error queue, a later successful TLS call would be taken for a
    // failure.
    ERR_clear_error();
    return false;
}

} // namespace crypto::detail
