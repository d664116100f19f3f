#include "crypto/rsa_key.hpp"

#include "crypto/encoding.hpp"
#include "crypto/hash.hpp"
#include "crypto/pem.hpp"
#include "crypto/rsa.hpp"

#include <boost/json/serialize.hpp>
#include <openssl/x509.h>

#include <stdexcept>

namespace crypto {

namespace {

constexpr int min_bits = 2048; // RFC 7518, 3.3
constexpr int max_bits = 8192; // other parties choose the key, and a larger key makes signing slow

std::string sign_pkcs1(EVP_PKEY* key, std::string_view data)
{
    detail::DigestContext const context(EVP_MD_CTX_new());
    std::size_t size = 0;
    // PKCS #1 v1.5 is the default of DigestSign for RSA keys.
    detail::require(
        context &&
            EVP_DigestSignInit_ex(context.get(), nullptr, "SHA256", nullptr, nullptr, key, nullptr) == 1 &&
            EVP_DigestSign(context.get(), nullptr, &size, detail::in(data), data.size()) == 1,
        "EVP_DigestSignInit_ex");
    std::string signature(size, '\0');
    detail::require(
        EVP_DigestSign(context.get(), detail::out(signature), &size, detail::in(data), data.size()) == 1,
        "EVP_DigestSign");
    signature.resize(size);
    return signature;
}

} // namespace

RsaSigningKey RsaSigningKey::generate()
{
    detail::Key key(EVP_PKEY_Q_keygen(nullptr, nullptr, "RSA", std::size_t{min_bits}));
    detail::require(key != nullptr, "EVP_PKEY_Q_keygen");
    return RsaSigningKey(std::move(key));
}

RsaSigningKey RsaSigningKey::from_pem(std::string_view pem)
{
    detail::Key key = detail::read_private_key(pem);
    bool const sound = key && EVP_PKEY_is_a(key.get(), "RSA") == 1 &&
                       EVP_PKEY_get_bits(key.get()) >= min_bits && EVP_PKEY_get_bits(key.get()) <= max_bits;
    if (!sound) throw std::invalid_argument("not an RSA private key of 2048 to 8192 bits in PEM");
    return RsaSigningKey(std::move(key));
}

core::Secret RsaSigningKey::to_pem() const
{
    return detail::write_private_key(key_.get());
}

std::string RsaSigningKey::public_der() const
{
    int const size = i2d_PUBKEY(key_.get(), nullptr);
    detail::require(size > 0, "i2d_PUBKEY");
    std::string der(static_cast<std::size_t>(size), '\0');
    auto* end = detail::out(der);
    detail::require(i2d_PUBKEY(key_.get(), &end) == size, "i2d_PUBKEY");
    return der;
}

boost::json::object RsaSigningKey::public_jwk(std::string_view kid) const
{
    auto const numbers = detail::rsa_numbers(key_.get());
    return {{"kty", "RSA"}, {"n", base64url::encode(numbers.n)}, {"e", base64url::encode(numbers.e)},
        {"kid", kid}, {"use", "sig"}, {"alg", "RS256"}};
}

std::string RsaSigningKey::thumbprint() const
{
    auto const numbers = detail::rsa_numbers(key_.get());
    // RFC 7638 hashes the required members in alphabetical order, without white space.
    boost::json::object const required{
        {"e", base64url::encode(numbers.e)}, {"kty", "RSA"}, {"n", base64url::encode(numbers.n)}};
    return base64url::encode(view(sha256(boost::json::serialize(required))));
}

std::string RsaSigningKey::sign(boost::json::object header, boost::json::object const& payload) const
{
    header["alg"] = "RS256";
    std::string token = base64url::encode(boost::json::serialize(header)) + "." +
                        base64url::encode(boost::json::serialize(payload));
    std::string const signature = sign_pkcs1(key_.get(), token);
    return token.append(".").append(base64url::encode(signature));
}

} // namespace crypto
