#include "crypto/aes_gcm.hpp"
#include "crypto/ecdh.hpp"
#include "crypto/encoding.hpp"
#include "crypto/hkdf.hpp"
#include "crypto/jwt.hpp"

#include <boost/json.hpp>
#include <catch2/catch.hpp>
#include <openssl/err.h>

#include <stdexcept>

namespace {

std::string bytes(std::string_view hex)
{
    std::string out;
    for (std::size_t i = 0; i < hex.size(); i += 2)
        out += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
    return out;
}

} // namespace

TEST_CASE("HKDF derives the keys of RFC 5869, A.1 to A.3", "[crypto]")
{
    CHECK(crypto::hkdf_sha256(bytes("0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b"),
              bytes("000102030405060708090a0b0c"), bytes("f0f1f2f3f4f5f6f7f8f9"), 42) ==
          bytes("3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"));
    std::string secret, salt, info;
    for (int i = 0; i < 80; ++i) {
        secret += static_cast<char>(i);
        salt += static_cast<char>(0x60 + i);
        info += static_cast<char>(0xb0 + i);
    }
    CHECK(
        crypto::hkdf_sha256(secret, salt, info, 82) ==
        bytes("b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c65e590e"
              "09da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87"));
    CHECK(crypto::hkdf_sha256(bytes("0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b"), "", "", 42) ==
          bytes("8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"));
}

TEST_CASE("AES-GCM encrypts the test cases of its authors", "[crypto]")
{
    // McGrew and Viega, "The Galois/Counter Mode of Operation", test cases 2, 4 and 16.
    CHECK(crypto::aes_gcm::encrypt(std::string(16, '\0'), std::string(12, '\0'), std::string(16, '\0')) ==
          bytes("0388dace60b6a392f328c2b971b2fe78ab6e47d42cec13bdf53a67b21257bddf"));
    auto const plaintext =
        bytes("d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0"
              "e2449a6b525b16aedf5aa0de657ba637b39");
    auto const aad = bytes("feedfacedeadbeeffeedfacedeadbeefabaddad2");
    auto const nonce = bytes("cafebabefacedbaddecaf888");
    auto const key_128 = bytes("feffe9928665731c6d6a8f9467308308");
    auto const box_128 =
        bytes("42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5"
              "aac84aa051ba30b396a0aac973d58e0915bc94fbc3221a5db94fae95ae7121a47");
    CHECK(crypto::aes_gcm::encrypt(key_128, nonce, plaintext, aad) == box_128);
    CHECK(crypto::aes_gcm::decrypt(key_128, nonce, box_128, aad) == plaintext);
    CHECK(crypto::aes_gcm::encrypt(key_128 + key_128, nonce, plaintext, aad) ==
          bytes("522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b105682"
                "8838c"
                "5f61e6393ba7a0abcc9f66276fc6ece0f4e1768cddf8853bb2d551b"));
    for (std::size_t i = 0; i < box_128.size(); i += 7) {
        auto changed = box_128;
        changed[i] = static_cast<char>(changed[i] ^ 1);
        CHECK_FALSE(crypto::aes_gcm::decrypt(key_128, nonce, changed, aad));
    }
    CHECK_FALSE(crypto::aes_gcm::decrypt(key_128, nonce, box_128, ""));
    CHECK_FALSE(crypto::aes_gcm::decrypt(key_128, nonce, box_128.substr(0, 15), aad));
    CHECK(ERR_peek_error() == 0);
    CHECK_THROWS_AS(crypto::aes_gcm::encrypt("short", nonce, plaintext), std::invalid_argument);
    CHECK_THROWS_AS(crypto::aes_gcm::encrypt(key_128, "short", plaintext), std::invalid_argument);
}

TEST_CASE("both sides of a key agreement get the same secret", "[crypto]")
{
    auto const one = crypto::EcdhKey::generate(), other = crypto::EcdhKey::generate();
    REQUIRE(one.agree(other.public_point()).has_value());
    CHECK(one.agree(other.public_point())->size() == 32);
    CHECK(one.agree(other.public_point()) == other.agree(one.public_point()));
    CHECK(one.agree(one.public_point()) != one.agree(other.public_point()));
}

TEST_CASE("only points on P-256 are public keys", "[crypto]")
{
    auto const point = crypto::EcdhKey::generate().public_point();
    REQUIRE(point.size() == crypto::p256_point_size);
    CHECK(crypto::is_p256_point(point));
    auto off_curve = point;
    off_curve.back() = static_cast<char>(off_curve.back() ^ 1);
    auto const compressed = std::string("\x02") + point.substr(1, 32);
    for (auto const& wrong :
        {std::string(), off_curve, compressed, point + "x", std::string("\x05") + point.substr(1),
            std::string("\x04") + std::string(64, '\0'), std::string(1, '\0')}) {
        CHECK_FALSE(crypto::is_p256_point(wrong));
        CHECK_FALSE(crypto::EcdhKey::generate().agree(wrong));
    }
    CHECK(ERR_peek_error() == 0);
    CHECK_THROWS_AS(crypto::EcdhKey::from_pem("no key"), std::invalid_argument);
}

TEST_CASE("a signing key shows its public key as a point", "[crypto]")
{
    auto const key = crypto::SigningKey::generate();
    auto const jwk = key.public_jwk("k");
    auto const coordinate = [&](char const* name) {
        return crypto::base64url::decode(std::string(jwk.at(name).as_string())).value();
    };
    CHECK(key.public_point() == std::string("\x04") + coordinate("x") + coordinate("y"));
}
