#include "crypto/keyring.hpp"

#include "core/hex.hpp"
#include "crypto/encoding.hpp"
#include "crypto/hmac.hpp"
#include "crypto/random.hpp"

#include <set>
#include <stdexcept>

using crypto::Keyring;

namespace {

std::string bytes(std::string_view hex)
{
    return core::hex::decode(hex).value();
}

/// A configuration entry whose key is 32 times `c`.
std::string entry(std::string const& id, char c)
{
    return id + ":" + crypto::base64::encode(std::string(32, c));
}

std::string refusal(std::string const& text)
{
    try {
        Keyring::parse(text);
        return "accepted";
    } catch (std::invalid_argument const& error) {
        return error.what();
    }
}

} // namespace

TEST_CASE("AES-256-GCM values that other software has sealed can be opened")
{
    // McGrew and Viega, "The Galois/Counter Mode of Operation", test cases 13, 14 and 16, which NIST
    // published.
    struct Vector {
        char const *key, *nonce, *plaintext, *aad, *ciphertext, *tag;
    };

    auto const v = GENERATE(Vector{"0000000000000000000000000000000000000000000000000000000000000000",
                                "000000000000000000000000", "", "", "", "530f8afbc74536b9a963b4f1c4cb738b"},
        Vector{"0000000000000000000000000000000000000000000000000000000000000000", "000000000000000000000000",
            "00000000000000000000000000000000", "", "cea7403d4d606b6e074ec5d3baf39d18",
            "d0d1c8a799996bf0265b98b5d48ab919"},
        Vector{"feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308", "cafebabefacedbaddecaf888",
            "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525"
            "b16aedf5"
            "aa0de657ba637b39",
            "feedfacedeadbeeffeedfacedeadbeefabaddad2",
            "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838"
            "c5f61e63"
            "93ba7a0abcc9f662",
            "76fc6ece0f4e1768cddf8853bb2d551b"});
    Keyring const ring = Keyring::parse("k:" + crypto::base64::encode(bytes(v.key)));
    std::string const box = bytes(v.nonce) + bytes(v.ciphertext) + bytes(v.tag);
    CHECK(ring.open("k:" + crypto::base64url::encode(box), bytes(v.aad)) == bytes(v.plaintext));
}

TEST_CASE("a sealed value can be opened only with the same additional data")
{
    Keyring const ring = Keyring::parse(entry("2026-01", 'k'));
    for (std::size_t const size : {0, 1, 15, 16, 17, 1000, 100'000}) {
        std::string const plaintext = crypto::random_bytes(size);
        std::string const sealed = ring.seal(plaintext, "42/webhooks.secret");
        CHECK(ring.open(sealed, "42/webhooks.secret") == plaintext);
        CHECK_FALSE(ring.open(sealed, "43/webhooks.secret"));
        CHECK_FALSE(ring.open(sealed, ""));
        CHECK(sealed.starts_with("2026-01:"));
        CHECK(std::all_of(sealed.begin(), sealed.end(), [](char c) { return c > ' ' && c < 0x7f; }));
    }
    CHECK(ring.open(ring.seal("x", ""), "") == "x");
}

TEST_CASE("sealing the same value twice gives different results")
{
    Keyring const ring = Keyring::parse(entry("a", 'k'));
    std::set<std::string> nonces;
    for (int i = 0; i < 1000; ++i)
        nonces.insert(ring.seal("value", "aad").substr(2, 16));
    CHECK(nonces.size() == 1000);
}

TEST_CASE("a change of any character is detected")
{
    Keyring const ring = Keyring::parse(entry("a", 'k') + "," + entry("b", 'm'));
    std::string const sealed = ring.seal("attack at dawn", "aad");
    REQUIRE(ring.open(sealed, "aad"));
    for (std::size_t i = 0; i < sealed.size(); ++i) {
        std::string changed = sealed;
        changed[i] = changed[i] == 'b' ? 'c' : 'b';
        CHECK_FALSE(ring.open(changed, "aad"));
        CHECK_FALSE(ring.open(sealed.substr(0, i), "aad"));
    }
    CHECK_FALSE(ring.open(sealed + "A", "aad"));
    CHECK_FALSE(ring.open(sealed + "AAAA", "aad"));
}

TEST_CASE("values that were never sealed cannot be opened")
{
    Keyring const ring = Keyring::parse(entry("a", 'k'));
    auto const* text = GENERATE(as<char const*>(), "", "a", "a:", ":", ":AAAA", "a:AAAA", "b:AAAA", "a:!!!!",
        "plain text", "a:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "a:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA");
    CHECK_FALSE(ring.open(text, ""));
}

TEST_CASE("values are sealed with the first key and opened with any key")
{
    Keyring const before = Keyring::parse(entry("old", 'o'));
    Keyring const after = Keyring::parse(entry("new", 'n') + "," + entry("old", 'o'));
    std::string const old_value = before.seal("secret", "aad");
    std::string const new_value = after.seal("secret", "aad");
    CHECK(before.is_current(old_value));
    CHECK_FALSE(after.is_current(old_value));
    CHECK(after.is_current(new_value));
    CHECK(after.open(old_value, "aad") == "secret");
    CHECK(after.open(new_value, "aad") == "secret");
    CHECK_FALSE(before.open(new_value, "aad"));
    CHECK_FALSE(after.is_current("new"));
    CHECK_FALSE(after.is_current("newer:AAAA"));
    CHECK_FALSE(after.is_current(""));
    // The same id with other key bytes is another key.
    CHECK_FALSE(Keyring::parse(entry("old", 'x')).open(old_value, "aad"));
}

TEST_CASE("each key derives a key for each purpose")
{
    Keyring const ring = Keyring::parse(entry("new", 'n') + "," + entry("old", 'o'));
    auto const uploads = ring.derive("uploads");
    auto const cursors = ring.derive("cursors");
    REQUIRE(uploads.size() == 2);
    CHECK(uploads[0].equals(crypto::view(crypto::hmac_sha256(std::string(32, 'n'), "uploads"))));
    CHECK(uploads[1].equals(crypto::view(crypto::hmac_sha256(std::string(32, 'o'), "uploads"))));
    CHECK_FALSE(uploads[0].equals(cursors[0].reveal()));
}

TEST_CASE("the error for a malformed keyring contains the number of the entry but not its text")
{
    std::string const good = entry("a", 'k');
    CHECK(refusal("") == "key 1 is not of the form id:base64");
    CHECK(refusal("a") == "key 1 is not of the form id:base64");
    CHECK(refusal(good + ",") == "key 2 is not of the form id:base64");
    CHECK(refusal("," + good) == "key 1 is not of the form id:base64");
    CHECK(refusal(good + "," + good) == "key 2 has the id of an earlier key");
    CHECK(refusal("a:" + crypto::base64::encode(std::string(31, 'k'))) == "key 1 is not 32 bytes long");
    CHECK(refusal("a:" + crypto::base64::encode(std::string(33, 'k'))) == "key 1 is not 32 bytes long");
    CHECK(refusal("a:") == "key 1 is not 32 bytes long");
    CHECK(refusal(good + "=") == "key 1 is not valid base64");
    CHECK(refusal(good + "\n") == "key 1 is not valid base64");
    CHECK(refusal("a:not base64 at all") == "key 1 is not valid base64");
    for (std::string const id : {"", "a b", "é", "a/b", "a.b"})
        CHECK(refusal(entry(id, 'k')) == "key 1 has an id that does not match [A-Za-z0-9_-]{1,32}");
    CHECK(refusal(entry(std::string(33, 'a'), 'k')) ==
          "key 1 has an id that does not match [A-Za-z0-9_-]{1,32}");
    CHECK(refusal(entry(std::string(32, 'a'), 'k')) == "accepted");
    CHECK(refusal(entry("Key_1-b", 'k')) == "accepted");
}
