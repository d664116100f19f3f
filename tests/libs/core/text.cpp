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
