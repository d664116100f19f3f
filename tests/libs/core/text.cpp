#include "core/text.hpp"

#include <catch2/catch.hpp>

TEST_CASE("only ASCII letters change case")
{
    CHECK(core::lower("Host: ÄZ[@`{") == "host: Äz[@`{");
    CHECK(core::equal_ignoring_case("Content-TYPE", "content-type"));
    CHECK_FALSE(core::equal_ignoring_case("a", "ab"));
    CHECK_FALSE(core::equal_ignoring_case("[", "{"));
}

TEST_CASE("white space is trimmed at both ends only")
{
    CHECK(core::trim(" \t a b\r\n") == "a b");
    CHECK(core::trim(" \n").empty());
    CHECK(core::trim("").empty());
}

TEST_CASE("text is escaped for HTML")
{
    std::string out = "<b>";
    core::append_html_escaped(out, R"(a < b & "c" > 'd' é)");
    CHECK(out == "<b>a &lt; b &amp; &quot;c&quot; &gt; &#39;d&#39; é");
}

TEST_CASE("all characters except unreserved characters are percent-encoded")
{
    CHECK(core::percent_encode("AZaz09-._~") == "AZaz09-._~");
    CHECK(core::percent_encode("a b/c+d*e'f\u00e9") == "a%20b%2Fc%2Bd%2Ae%27f%C3%A9");
    CHECK(core::percent_encode("/a b/c", "/") == "/a%20b/c");
}

TEST_CASE("percent-encoding is decoded or refused")
{
    CHECK(core::percent_decode("a%20b%2Fc+d", false) == "a b/c+d");
    CHECK(core::percent_decode("a+b%2b", true) == "a b+");
    CHECK(core::percent_decode("%C3%a9", false) == "\xc3\xa9");
    CHECK(core::percent_decode("%00", false) == std::string(1, '\0'));
    CHECK(core::percent_decode("", false) == "");
    for (char const* bad : {"%", "%1", "a%", "%zz", "%1g", "%%20", "% 1", "%+1", "%-1"}) {
        INFO(bad);
        CHECK_FALSE(core::percent_decode(bad, true));
    }
}

TEST_CASE("text on one line has no control characters and no characters that change its direction")
{
    CHECK(core::one_line("plain ü") == "plain ü");
    CHECK(core::one_line("a\r\nb\tc\x7f") == "a  b c ");
    CHECK(core::one_line("a\u2028b\u202ec") == "a b c");
    CHECK(core::one_line("a\xff") == "a?");
}
