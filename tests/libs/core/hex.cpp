#include "core/hex.hpp"

#include <catch2/catch.hpp>

namespace hex = core::hex;

static_assert(hex::value('0') == 0 && hex::value('9') == 9 && hex::value('a') == 10 && hex::value('F') == 15);
static_assert(hex::value('g') == -1 && hex::value('/') == -1 && hex::value(':') == -1);

TEST_CASE("bytes are written as hexadecimal text and read again")
{
    CHECK(hex::encode("") == "");
    CHECK(hex::encode("foobar") == "666f6f626172");
    CHECK(hex::encode(std::string_view("\0\xff", 2)) == "00ff");
    std::string all;
    for (int byte = 0; byte < 256; ++byte)
        all += static_cast<char>(byte);
    CHECK(hex::decode(hex::encode(all)) == all);
}

TEST_CASE("hex is decoded in upper and lower case")
{
    CHECK(hex::decode("aBcDeF09") == "\xab\xcd\xef\x09");
    auto const text = GENERATE(as<std::string_view>(), "a", "abc", "0g", "g0", "0x12", " 12", "12 ", "1 2 ",
        "\xff\xff", "12:3", std::string_view("1\0", 2));
    CHECK_FALSE(hex::decode(text));
}
