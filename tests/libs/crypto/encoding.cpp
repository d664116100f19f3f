#include "crypto/encoding.hpp"

#include <random>

namespace base64 = crypto::base64;
namespace base64url = crypto::base64url;

namespace {

struct Vector {
    std::string_view bytes, base64, base64url;
};

std::string random_text(std::mt19937& random, std::size_t size)
{
    std::string bytes(size, '\0');
    for (char& c : bytes)
        c = static_cast<char>(random());
    return bytes;
}

} // namespace

TEST_CASE("base64 and base64url encode the test values of RFC 4648")
{
    auto const v = GENERATE(Vector{"", "", ""}, Vector{"f", "Zg==", "Zg"}, Vector{"fo", "Zm8=", "Zm8"},
        Vector{"foo", "Zm9v", "Zm9v"}, Vector{"foob", "Zm9vYg==", "Zm9vYg"},
        Vector{"fooba", "Zm9vYmE=", "Zm9vYmE"}, Vector{"foobar", "Zm9vYmFy", "Zm9vYmFy"},
        Vector{"\xfb\xff\xbf", "+/+/", "-_-_"}, Vector{"\xff", "/w==", "_w"},
        Vector{std::string_view("\0\0", 2), "AAA=", "AAA"});
    CHECK(base64::encode(v.bytes) == v.base64);
    CHECK(base64::decode(v.base64) == v.bytes);
    CHECK(base64url::encode(v.bytes) == v.base64url);
    CHECK(base64url::decode(v.base64url) == v.bytes);
}

TEST_CASE("malformed base64 is refused")
{
    auto const text = GENERATE(as<std::string_view>(), "A", "AA", "AAA", "AA=", "A===", "====", "=",
        "==", "Zg=", "Zg", "Zh==", "Zm9=", "Zg==Zg==", "Z=g=", "=Zg=", "Zm9v\n", "Zm9v ", " Zm9v", "Zm 9",
        "-_-_", "Zm9v====", "Zm9\xff", "Zg===", std::string_view("Zm9\0", 4));
    CAPTURE(text);
    CHECK_FALSE(base64::decode(text));
}

TEST_CASE("malformed base64url is refused")
{
    auto const text = GENERATE(as<std::string_view>(), "A", "AAAAA", "Zg==", "Zm8=", "Zh", "Zm9", "+/+/",
        "Zm9v\n", "Zm9v.", " Zm9", "Zm9\xff", "Zm9v=", std::string_view("Zm9\0", 4));
    CAPTURE(text);
    CHECK_FALSE(base64url::decode(text));
}

TEST_CASE("any bytes survive encoding and decoding")
{
    std::mt19937 random(4648); // NOLINT(cert-msc51-cpp): the same cases each time
    for (std::size_t size = 0; size < 300; ++size) {
        std::string const bytes = random_text(random, size);
        REQUIRE(base64::decode(base64::encode(bytes)) == bytes);
        REQUIRE(base64url::decode(base64url::encode(bytes)) == bytes);
        REQUIRE(base64::encode(bytes).size() == (size + 2) / 3 * 4);
        REQUIRE(base64url::encode(bytes).find('=') == std::string::npos);
    }
}

TEST_CASE("decoded text encodes to the same text, so each value has only one encoding")
{
    std::mt19937 random(1); // NOLINT(cert-msc51-cpp): the same cases each time
    std::string_view const letters = "AQgwZz09+/-_=aef";
    int read = 0;
    for (int round = 0; round < 50'000; ++round) {
        std::string text;
        for (std::size_t i = random() % 7; i > 0; --i)
            text += letters[random() % letters.size()];
        if (auto const bytes = base64::decode(text); bytes && ++read > 0)
            REQUIRE(base64::encode(*bytes) == text);
        if (auto const bytes = base64url::decode(text); bytes && ++read > 0)
            REQUIRE(base64url::encode(*bytes) == text);
    }
    CHECK(read > 1000);
}

TEST_CASE("base32 follows RFC 4648, without padding")
{
    CHECK(crypto::base32::encode("").empty());
    CHECK(crypto::base32::encode("f") == "MY");
    CHECK(crypto::base32::encode("fo") == "MZXQ");
    CHECK(crypto::base32::encode("foo") == "MZXW6");
    CHECK(crypto::base32::encode("foob") == "MZXW6YQ");
    CHECK(crypto::base32::encode("fooba") == "MZXW6YTB");
    CHECK(crypto::base32::encode("foobar") == "MZXW6YTBOI");
}
