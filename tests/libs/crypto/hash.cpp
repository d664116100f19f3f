#include "crypto/hash.hpp"

#include "core/hex.hpp"
#include "crypto/hmac.hpp"

#include <atomic>
#include <thread>

using crypto::view;

namespace {

std::string bytes(std::string_view hex)
{
    return core::hex::decode(hex).value();
}

std::string sha256_hex(std::string_view data)
{
    return core::hex::encode(view(crypto::sha256(data)));
}

std::string hmac_hex(std::string_view key, std::string_view data)
{
    return core::hex::encode(view(crypto::hmac_sha256(key, data)));
}

} // namespace

TEST_CASE("SHA-256 matches the examples of FIPS 180")
{
    CHECK(sha256_hex("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    CHECK(sha256_hex(std::string_view()) == sha256_hex(""));
    CHECK(sha256_hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    CHECK(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
          "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    CHECK(sha256_hex(std::string(1'000'000, 'a')) ==
          "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("SHA-1 matches the examples of FIPS 180")
{
    auto const sha1_hex = [](std::string_view data) { return core::hex::encode(view(crypto::sha1(data))); };
    CHECK(sha1_hex("") == "da39a3ee5e6b4b0d3255bfef95601890afd80709");
    CHECK(sha1_hex("abc") == "a9993e364706816aba3e25717850c26c9cd0d89d");
    CHECK(sha256_hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    CHECK(sha1_hex(std::string(1'000'000, 'a')) == "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
}

TEST_CASE("HMAC-SHA-256 matches RFC 4231")
{
    CHECK(hmac_hex(std::string(20, '\x0b'), "Hi There") ==
          "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
    CHECK(hmac_hex("Jefe", "what do ya want for nothing?") ==
          "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    CHECK(hmac_hex(std::string(20, '\xaa'), std::string(50, '\xdd')) ==
          "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe");
    CHECK(hmac_hex(bytes("0102030405060708090a0b0c0d0e0f10111213141516171819"), std::string(50, '\xcd')) ==
          "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b");
    CHECK(hmac_hex(std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First") ==
          "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
    CHECK(hmac_hex(std::string(131, '\xaa'), "This is a test using a larger than block-size key and a larger "
                                             "than block-size data. The key needs to "
                                             "be hashed before being used by the HMAC algorithm.") ==
          "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2");
}

TEST_CASE("HMAC-SHA-1 matches RFC 2202")
{
    auto const hmac = [](std::string_view key, std::string_view data) {
        auto const digest = crypto::hmac_sha1(key, data);
        return core::hex::encode({reinterpret_cast<char const*>(digest.data()), digest.size()});
    };
    CHECK(hmac(std::string(20, '\x0b'), "Hi There") == "b617318655057264e28bc0b6fb378c8ef146be00");
    CHECK(hmac("Jefe", "what do ya want for nothing?") == "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79");
    CHECK(hmac(std::string(80, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First") ==
          "aa4ae5e15272d00e95705637ce8a3b55ed402112");
}

TEST_CASE("an empty key is used as a key and does not mean the previous key")
{
    auto const* empty = "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad";
    CHECK(hmac_hex("another", "x") != empty);
    CHECK(hmac_hex("", "") == empty);
    CHECK(hmac_hex("another", "x") != empty);
    CHECK(hmac_hex(std::string_view(), std::string_view()) == empty);
}

TEST_CASE("hashes are correct on several threads")
{
    std::atomic<int> wrong = 0;
    auto const work = [&wrong](std::string text) {
        auto const hash = crypto::sha256(text);
        auto const mac = crypto::hmac_sha256(text, "data");
        for (int i = 0; i < 2000; ++i)
            if (crypto::sha256(text) != hash || crypto::hmac_sha256(text, "data") != mac) ++wrong;
    };
    std::vector<std::thread> threads;
    for (char c = 'a'; c < 'e'; ++c)
        threads.emplace_back(work, std::string(50, c));
    for (auto& thread : threads)
        thread.join();
    CHECK(wrong == 0);
}
