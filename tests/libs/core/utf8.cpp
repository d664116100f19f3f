#include "core/fields.hpp"

#include <random>

using namespace std::string_view_literals;

namespace {

std::string encode(char32_t c)
{
    std::string out;
    auto const put = [&out](char32_t byte) { out += static_cast<char>(byte); };
    if (c < 0x80) {
        put(c);
    } else if (c < 0x800) {
        put(0xc0 | c >> 6);
        put(0x80 | (c & 0x3f));
    } else if (c < 0x10000) {
        put(0xe0 | c >> 12);
        put(0x80 | (c >> 6 & 0x3f));
        put(0x80 | (c & 0x3f));
    } else {
        put(0xf0 | c >> 18);
        put(0x80 | (c >> 12 & 0x3f));
        put(0x80 | (c >> 6 & 0x3f));
        put(0x80 | (c & 0x3f));
    }
    return out;
}

} // namespace

TEST_CASE("every code point except the surrogates is valid UTF-8 and counts as one")
{
    for (char32_t c = 0; c <= 0x10ffff; ++c) {
        std::string const text = encode(c);
        bool const surrogate = c >= 0xd800 && c <= 0xdfff;
        if (core::is_utf8(text) == surrogate || core::count_code_points(text) != 1)
            FAIL(static_cast<unsigned>(c));
    }
    SUCCEED();
}

TEST_CASE("ill-formed sequences are refused at every position")
{
    auto const bad = GENERATE(as<std::string_view>(), "\x80", "\xbf", "\xc0\x80", "\xc0\xaf", "\xc1\xbf",
        "\xe0\x80\x80", "\xe0\x80\xaf", "\xe0\x9f\xbf", "\xf0\x80\x80\x80", "\xf0\x8f\xbf\xbf",
        "\xf8\x88\x80\x80\x80", "\xfc\x84\x80\x80\x80\x80", "\xfe", "\xff", "\xed\xa0\x80", "\xed\xad\xbf",
        "\xed\xbf\xbf", "\xed\xa0\x80\xed\xb0\x80", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80",
        "\xf7\xbf\xbf\xbf", "\xc2", "\xdf", "\xe2\x82", "\xe2", "\xf0\x9f\x98", "\xf0\x9f", "\xf0",
        "\xc2\x41", "\xe2\x82\x41", "\xe2\x41\x82", "\xf0\x9f\x98\x41", "\xc2\xc2\x80");
    CHECK_FALSE(core::is_utf8(bad));
    for (std::size_t before = 0; before < 20; ++before) {
        std::string const ascii(before, 'a');
        CHECK_FALSE(core::is_utf8(ascii + std::string(bad)));
        CHECK_FALSE(core::is_utf8(ascii + std::string(bad) + "tail long enough for a word"));
        CHECK_FALSE(core::is_utf8("\xc3\xa9" + ascii + std::string(bad) + "\xc3\xa9"));
    }
}

TEST_CASE("well-formed text is accepted and its code points are counted")
{
    CHECK(core::is_utf8(""));
    CHECK(core::count_code_points("") == 0);
    CHECK(core::is_utf8("\0a"sv));
    CHECK(core::count_code_points("plain ASCII, more than a word") == 29);
    CHECK(core::is_utf8("κόσμε"));
    CHECK(core::count_code_points("κόσμε") == 5);
    CHECK(core::count_code_points("日本語") == 3);
    // This emoji of a family consists of seven code points.
    CHECK(core::is_utf8("👨‍👩‍👧‍👦"));
    CHECK(core::count_code_points("👨‍👩‍👧‍👦") == 7);
    CHECK(core::is_utf8("\xef\xbf\xbf\xf4\x8f\xbf\xbf"));
}

TEST_CASE("random texts are accepted and counted, and refused if cut inside a code point")
{
    std::mt19937 random(42); // NOLINT(cert-msc51-cpp): the same cases each time
    for (int round = 0; round < 2000; ++round) {
        std::string text;
        std::size_t const count = random() % 40;
        for (std::size_t i = 0; i < count; ++i) {
            char32_t const limits[] = {0x80, 0x800, 0xd800, 0x110000};
            char32_t c = static_cast<char32_t>(random()) % limits[random() % 4];
            if (c >= 0xd800 && c <= 0xdfff) c -= 0x800;
            text += encode(c);
        }
        REQUIRE(core::is_utf8(text));
        REQUIRE(core::count_code_points(text) == count);
        bool const ends_long = !text.empty() && static_cast<unsigned char>(text.back()) >= 0x80;
        if (ends_long) REQUIRE_FALSE(core::is_utf8(text.substr(0, text.size() - 1)));
    }
}

TEST_CASE("text is cut between characters")
{
    CHECK(core::whole_characters("plain", 5) == "plain");
    CHECK(core::whole_characters("plain", 4) == "plai");
    CHECK(core::whole_characters("plain", 0).empty());
    std::string const text = "aé日😀";
    std::string const cuts[] = {"", "a", "a", "aé", "aé", "aé", "aé日", "aé日", "aé日", "aé日", text};
    for (std::size_t limit = 0; limit < std::size(cuts); ++limit)
        CHECK(core::whole_characters(text, limit) == cuts[limit]);
    // Text that is not UTF-8 is cut too. So a caller that repeats the cut with the rest always reaches the
    // end.
    CHECK(core::whole_characters(std::string(20, '\x80'), 10).size() == 7);
}

TEST_CASE("the first line of a text has no control characters")
{
    CHECK(core::first_line("Unregistered", 200) == "Unregistered");
    CHECK(core::first_line("  550 5.1.1 no such user\r\nsecond line", 200) == "550 5.1.1 no such user");
    CHECK(core::first_line("\n\nafter blank lines", 200) == "after blank lines");
    CHECK(core::first_line("", 200) == "");
    CHECK(core::first_line("tab\there", 200) == "tab?here");
    CHECK(core::first_line(std::string("nul\0here", 8), 200) == "nul?here");
    CHECK(core::first_line("Größe", 200) == "Größe");
    CHECK(core::first_line("latin \xfc text", 200) == "latin ? text");
    CHECK(core::first_line(std::string(500, 'x'), 200) == std::string(200, 'x'));
}

TEST_CASE("a line is cut at a character boundary")
{
    std::string const long_text = "x" + [] {
        std::string text;
        for (int i = 0; i < 150; ++i)
            text += "ü";
        return text;
    }();
    auto const line = core::first_line(long_text, 200);
    CHECK(line.size() == 199);
    CHECK(line == long_text.substr(0, 199));
}
