#include "core/fields.hpp"
#include "core/text.hpp"

#include <stdexcept>

using core::nfc;

TEST_CASE("text in NFC stays the same")
{
    for (std::string const text : {"", "plain ASCII \x01~", "caf\u00e9", "\u65e5\u672c\u8a9e", "\U0001f511"})
        CHECK(nfc(text) == text);
}

TEST_CASE("combining characters are composed and ordered")
{
    // As in the normalization test of the Unicode Character Database: source, NFC.
    for (auto const& [source, composed] : {std::pair{"e\u0301", "\u00e9"}, {"\u212b", "\u00c5"},
             {"A\u030a", "\u00c5"}, {"\u1100\u1161\u11a8", "\uac01"}, {"q\u0307\u0323", "q\u0323\u0307"},
             {"d\u0307\u0323", "\u1e0d\u0307"}, {"\u1e0b\u0323", "\u1e0d\u0307"}, {"\u0958", "\u0915\u093c"},
             {"\u1f82", "\u1f82"}, {"\u03b1\u0313\u0300\u0345", "\u1f82"}}) {
        CHECK(nfc(source) == composed);
        CHECK(nfc(composed) == composed);
    }
    // Compatibility characters stay (NFC, not NFKC).
    CHECK(nfc("\ufb01\u2460") == "\ufb01\u2460");
}

TEST_CASE("a code point decomposes into at most four")
{
    std::string text;
    for (int i = 0; i < 128; ++i)
        text += "\u03b1\u0313\u0300\u0345";
    CHECK(core::count_code_points(text) == 512);
    CHECK(core::count_code_points(nfc(text)) == 128);
}

TEST_CASE("text that is not UTF-8 is refused")
{
    for (std::string const text : {"\xff", "a\xc3", "\xed\xa0\x80"})
        CHECK_THROWS_AS(nfc(text), std::invalid_argument);
}
