#include "sms/gsm7.hpp"

#include <catch2/catch.hpp>

namespace gsm7 = sms::gsm7;

TEST_CASE("texts in the GSM-7 alphabet are recognised")
{
    CHECK(gsm7::septets("") == 0);
    CHECK(gsm7::septets("Hello, World! @$_") == 17);
    CHECK(gsm7::septets("\u00e9\u00e8\u00e0\u00fc\u00df\u00d1\u0394\u03a9") == 8);
    CHECK(gsm7::septets("^{}\\[~]|\u20ac") == 18);
    for (auto const* outside : {"`", "\u00e7", "\u0141", "\u4e2d", "\U0001F600", "\t", "a\u0301", "\u2019"}) {
        INFO(outside);
        CHECK(gsm7::septets(outside) == gsm7::none);
    }
}

TEST_CASE("a single segment contains 160 septets, and each of several segments 153")
{
    CHECK(gsm7::capacity(1) == 160);
    CHECK(gsm7::capacity(2) == 306);
    CHECK(gsm7::capacity(3) == 459);
}

TEST_CASE("characters outside the alphabet are transliterated")
{
    struct Case {
        char const* from;
        char const* to;
    };

    for (auto const& [from, to] : {Case{"Caf\u00e9", "Caf\u00e9"}, Case{"\u0141\u00f3d\u017a", "Lodz"},
             Case{"\u041c\u043e\u0441\u043a\u0432\u0430", "Moskva"},
             Case{"\u0391\u03b8\u03ae\u03bd\u03b1", "Athina"}, Case{"Fran\u00e7ais", "Francais"},
             Case{"It\u2019s \u201cfine\u201d \u2013 really\u2026", "It's \"fine\" - really..."},
             Case{"e\u0301clair", "eclair"}, Case{"\u65e5\u672c", ""}, Case{"A\u65e5B", "AB"},
             Case{"Two\r\nlines\t", "Two  lines"}, Case{"  x  ", "x"}, Case{"\U0001F600 Hi", "Hi"},
             Case{"Vi\u1ec7t Nam", "Viet Nam"}, Case{"\u20ac[ok]", "\u20ac[ok]"}}) {
        INFO(from);
        CHECK(gsm7::transliterate(from) == to);
        CHECK(gsm7::septets(gsm7::transliterate(from)) != gsm7::none);
    }
    // Invalid UTF-8 is accepted.
    CHECK(gsm7::septets(gsm7::transliterate("\xff\xfe\xc3")) != gsm7::none);
}

TEST_CASE("text is cut between characters")
{
    CHECK(gsm7::cut("hello", 3) == "hel");
    CHECK(gsm7::cut("hello", 9) == "hello");
    CHECK(gsm7::cut("\u00e9\u00e9\u00e9", 2) == "\u00e9\u00e9");
    CHECK(gsm7::cut("a\u20ac", 2) == "a");
    CHECK(gsm7::cut("abc", 0).empty());
}
