#include "crypto/jwt.hpp"

#include <boost/json.hpp>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <thread>

using crypto::parse_jws;
using crypto::PublicKey;
using crypto::SigningKey;
namespace json = boost::json;

namespace {

// The key of RFC 7515, A.3, in SEC 1 and PKCS #8 form.
constexpr std::string_view rfc_sec1 = R"(-----BEGIN EC PRIVATE KEY-----
MHcCAQEEII6bEJ5xkJi/mASH3x9dd+nLKWBuvtImO19XwhPfhPSyoAoGCCqGSM49
AwEHoUQDQgAEf83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEXH8UTNG72b
focs3+257rn0s2ldbqkLJK2KRiMohYjlrQ==
-----END EC PRIVATE KEY-----
)";
constexpr std::string_view rfc_pkcs8 = R"(-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgjpsQnnGQmL+YBIff
H1136cspYG6+0iY7X1fCE9+E9LKhRANCAAR/zc4ncPbEXUGDy+5v20t7WAczNXvp
7xO6z248e9FURcfxRM0bvZt+hyzf7bnuufSzaV1uqQskrYpGIyiFiOWt
-----END PRIVATE KEY-----
)";

PublicKey public_half(SigningKey const& key, std::string_view kid = "k")
{
    return PublicKey::from_jwk(key.public_jwk(kid)).value();
}

using Bio = std::unique_ptr<BIO, decltype(&BIO_free_all)>;
using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;

std::string text_of(Bio const& bio)
{
    char* text = nullptr;
    long const size = BIO_get_mem_data(bio.get(), &text);
    return {text, static_cast<std::size_t>(size)};
}

/// PKCS #8; encrypted if there is a password.
std::string private_pem(EVP_PKEY* key, char const* password = nullptr)
{
    Bio const bio(BIO_new(BIO_s_mem()), &BIO_free_all);
    EVP_CIPHER const* cipher = password == nullptr ? nullptr : EVP_aes_256_cbc();
    int const size = password == nullptr ? 0 : static_cast<int>(std::string_view(password).size());
    REQUIRE(PEM_write_bio_PKCS8PrivateKey(bio.get(), key, cipher, password, size, nullptr, nullptr) == 1);
    return text_of(bio);
}

std::string public_pem(EVP_PKEY* key)
{
    Bio const bio(BIO_new(BIO_s_mem()), &BIO_free_all);
    REQUIRE(PEM_write_bio_PUBKEY(bio.get(), key) == 1);
    return text_of(bio);
}

} // namespace

TEST_CASE("a signed token verifies only with the matching public key")
{
    auto const key = SigningKey::generate();
    auto const token = key.sign({{"kid", "k"}, {"typ", "at+jwt"}}, {{"sub", "user-1"}, {"exp", 4102444800}});
    auto const jws = parse_jws(token);
    REQUIRE(jws);
    CHECK(jws->header == json::object{{"kid", "k"}, {"typ", "at+jwt"}, {"alg", "ES256"}});
    CHECK(jws->payload == json::object{{"sub", "user-1"}, {"exp", 4102444800}});
    CHECK(jws->kid() == "k");
    CHECK(crypto::verify_es256(public_half(key), *jws));
    CHECK_FALSE(crypto::verify_es256(public_half(SigningKey::generate()), *jws));
    CHECK(ERR_peek_error() == 0);
}

TEST_CASE("the algorithm comes from the key, not from the caller")
{
    auto const key = SigningKey::generate();
    auto const jws = parse_jws(key.sign({{"alg", "none"}}, {})).value();
    CHECK(jws.header.at("alg").as_string() == "ES256");
    CHECK(crypto::verify_es256(public_half(key), jws));
}

TEST_CASE("halves of a signature shorter than 32 bytes are padded")
{
    // About one signature in 128 has a half that starts with a zero byte.
    auto const key = SigningKey::generate();
    auto const verifier = public_half(key);
    int padded = 0;
    for (int i = 0; i < 3000; ++i) {
        auto const jws = parse_jws(key.sign({}, {{"i", i}})).value();
        REQUIRE(jws.signature.size() == 64);
        if (jws.signature[0] != '\0' && jws.signature[32] != '\0') continue;
        ++padded;
        REQUIRE(crypto::verify_es256(verifier, jws));
    }
    CHECK(padded > 0);
}

TEST_CASE("a key can be read from PEM in both forms")
{
    for (auto const pem : {rfc_sec1, rfc_pkcs8}) {
        auto const jwk = SigningKey::from_pem(pem).public_jwk("rfc");
        CHECK(jwk == json::object{{"kty", "EC"}, {"crv", "P-256"},
                         {"x", "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"},
                         {"y", "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}, {"kid", "rfc"}, {"use", "sig"},
                         {"alg", "ES256"}});
    }
    CHECK(SigningKey::from_pem(rfc_sec1).to_pem().equals(rfc_pkcs8));
}

TEST_CASE("a key can be written and read again")
{
    auto const key = SigningKey::generate();
    auto const again = SigningKey::from_pem(key.to_pem().reveal());
    CHECK(again.public_jwk("k") == key.public_jwk("k"));
    CHECK(crypto::verify_es256(public_half(key), parse_jws(again.sign({}, {})).value()));
}

TEST_CASE("the public key has no private member")
{
    auto const jwk = SigningKey::generate().public_jwk("k");
    CHECK_FALSE(jwk.contains("d"));
    CHECK(jwk.size() == 7);
}

TEST_CASE("PEM without an unencrypted P-256 private key is refused")
{
    Key const p384(EVP_EC_gen("P-384"), &EVP_PKEY_free);
    Key const p256(EVP_EC_gen("P-256"), &EVP_PKEY_free);
    Key const rsa(EVP_RSA_gen(1024), &EVP_PKEY_free);
    Key const ed25519(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"), &EVP_PKEY_free);
    std::string cut(rfc_pkcs8);
    cut.erase(60, 10);
    std::vector<std::string> const refused{"", "no PEM",
        "-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----\n", cut, private_pem(p384.get()),
        private_pem(rsa.get()), private_pem(ed25519.get()), public_pem(p256.get()),
        private_pem(p256.get(), "password")};
    for (auto const& pem : refused) {
        CHECK_THROWS_AS(SigningKey::from_pem(pem), std::invalid_argument);
        CHECK(ERR_peek_error() == 0);
    }
    CHECK_NOTHROW(SigningKey::from_pem(private_pem(p256.get())));
}

TEST_CASE("threads may share keys")
{
    auto const key = SigningKey::generate();
    auto const verifier = public_half(key);
    std::atomic<int> wrong = 0;
    auto const work = [&](int seed) {
        for (int i = 0; i < 100; ++i) {
            auto const jws = parse_jws(key.sign({}, {{"seed", seed}, {"i", i}}));
            if (!jws || !crypto::verify_es256(verifier, *jws)) ++wrong;
        }
    };
    std::thread other(work, 1);
    work(2);
    other.join();
    CHECK(wrong == 0);
}
