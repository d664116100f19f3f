#include "core/characters.hpp"

#include <catch2/catch.hpp>

#include <stdexcept>
#include <string>

namespace {

/// One letter for each character: `L`, `M`, `D` or `.` for others.
std::string kinds_of(std::string_view text)
{
    std::string kinds;
    for (auto const& character : core::characters(text))
        kinds += "LMD."[static_cast<int>(character.kind)];
    return kinds;
}

} // namespace

TEST_CASE("characters are letters, marks and digits of any script", "[characters]")
{
    CHECK(kinds_of("aZ9 &-\n") == "LLD....");
    CHECK(kinds_of("\u00e9\u00df\u0416\u03a9\u4e2d\u3042\u0e01") == "LLLLLLL");
    CHECK(kinds_of("e\u0301") == "LM");
    CHECK(kinds_of("\u0e01\u0e34") == "LM"); // a Thai consonant with a vowel sign
    CHECK(kinds_of("\u0663\uff14") == "DD");
    CHECK(kinds_of("\u00b2\u00bd\u2460\U0001f600") == "....");    // numbers that are no decimal digits
    CHECK(kinds_of("\u3164\u115f\u00ad\u200b\ufe0f") == "....."); // not shown
    CHECK(kinds_of("").empty());
}

TEST_CASE("a character has its own bytes", "[characters]")
{
    std::string const text = "a\u00e9\U0001f600";
    auto const found = core::characters(text);
    REQUIRE(found.size() == 3);
    CHECK(found[0].text == "a");
    CHECK(found[1].text == "\u00e9");
    CHECK(found[2].text == "\U0001f600");
}

TEST_CASE("characters of text that is not UTF-8 are refused", "[characters]")
{
    for (std::string const text : {"\xc3", "a\xff", "\xed\xa0\x80"})
        CHECK_THROWS_AS(core::characters(text), std::invalid_argument);
}
