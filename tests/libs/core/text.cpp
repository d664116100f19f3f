#include "core/text.hpp"

#include <catch2/catch.hpp>

TEST_CASE("case is that of ASCII")
{
    CHECK(core::lower("Host: ÄZ[@`{") == "host: Äz[@`{");
    CHECK(core::equal_ignoring_case("Content-TYPE", "content-type"));
    CHECK_FALSE(core::equal_ignoring_case("a", "ab"));
    CHECK_FALSE(core::equal_ignoring_case("[", "{"));
}

TEST_CASE("white space around a text goes, that inside stays")
{
    CHECK(core::trim(" \t a b\r\n") == "a b");
    CHECK(core::trim(" \n").empty());
    CHECK(core::trim("").empty());
}

TEST_CASE("text becomes HTML that shows it to the letter")
{
    std::string out = "<b>";
    core::append_html_escaped(out, R"(a < b & "c" > 'd' é)");
    CHECK(out == "<b>a &lt; b &amp; &quot;c&quot; &gt; &#39;d&#39; é");
}
