#include "mail/plain_text.hpp"

#include <catch2/catch.hpp>

TEST_CASE("HTML is converted to plain text")
{
    auto const is = [](std::string const& html, std::string const& expected) {
        INFO(html);
        CHECK(mail::plain_text(html) == expected);
    };
    is("", "");
    is("Hello", "Hello\n");
    is("  Hello\n\t world  ", "Hello world\n");
    is("<p>One</p><p>Two<br>lines</p>", "One\n\nTwo\nlines\n");
    is("<h1>Title</h1><div>a</div><div>b</div>", "Title\n\na\nb\n");
    is("<ul><li>a</li><li><p>b</p></li></ul>c", "- a\n- b\n\nc\n");
    is("<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>", "a b\nc\n");
    is("a &lt;b&gt; &amp;amp; &quot;c&quot; &#8364; &#x20aC; &nbsp;d &unknown; & &#0; &#xD800; &#x110000;",
        "a <b> &amp; \"c\" \u20AC \u20AC \u00A0d &unknown; & &#0; &#xD800; &#x110000;\n");
    is("<a href=\"https://example.com/?a=1&amp;b=2\">Open</a>.", "Open (https://example.com/?a=1&b=2).\n");
    is("<a href='https://example.com'>https://example.com</a>", "https://example.com\n");
    is("<a href=mailto:ada@example.com>ada@example.com</a> <a href=\"#top\">up</a>", "ada@example.com up\n");
    is("<a href=\"https://example.com\"><img src=x alt=\"Logo\"></a>", "Logo (https://example.com)\n");
    is("<a href=\"https://example.com\"></a>", "https://example.com\n");
    is("a<!-- <p>no</p> -->b<!doctype html><?php x ?>c", "abc\n");
    is("<style>p{}</style>a<script>if (a < b) {}</SCRIPT >b", "ab\n");
    is("<html><head><title>T</title><meta x></head><body>B</body></html>", "B\n");
    is("<head><p>The head has no end", "The head has no end\n");
    is("<pre>a\n  b\n</pre>c", "a\n  b\n\nc\n");
    is("1 < 2 <3 <\n", "1 < 2 <3 <\n");
    is("<p title='a > b'>x", "x\n");
    is("<p", "");
    is("<a href=\"never closed", "");
    is("<script>never closed", "");
    is("<!-- never closed", "");
    is("a<hr>b", "a\n\n----------\n\nb\n");
    is("日本<b>語</b>", "日本語\n");
}
