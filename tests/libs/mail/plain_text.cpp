#include "mail/plain_text.hpp"

#include <catch2/catch.hpp>

#include <chrono>
#include <string>

namespace {

void is(std::string const& html, std::string const& expected)
{
    INFO(html);
    CHECK(mail::plain_text(html) == expected);
}

std::string repeated(std::string_view text, std::size_t count)
{
    std::string out;
    out.reserve(text.size() * count);
    while (count-- > 0)
        out += text;
    return out;
}

} // namespace

TEST_CASE("HTML is converted to plain text")
{
    is("", "");
    is(" \n", "");
    is("Hello", "Hello\n");
    is("  Hello\n\t world  ", "Hello world\n");
    is("<p>One</p><p>Two<br>lines</p>", "One\n\nTwo\nlines\n");
    is("a<br><br><br><br>b <br>", "a\n\nb\n");
    is("<h1>Title</h1><div>a</div><div>b</div>", "Title\n\na\nb\n");
    is("<h2>One</h2><h3>Two</h3>text", "One\n\nTwo\n\ntext\n");
    is("<dl><dt>Term</dt><dd>Meaning</dd></dl>end", "Term\nMeaning\n\nend\n");
    is("a<span style='display: block'>b</span>c", "a\nb\nc\n");
    is("a<hr>b", "a\n\n----------\n\nb\n");
    is("日本<b>語</b>", "日本語\n");
    is("<div dir=rtl>שלום <b>עולם</b></div>", "שלום עולם\n");
    is("<img src=x alt='Logo of Acme'> <img src=y><img src=a alt=A><img src=b alt=B>", "Logo of Acme A B\n");
}

TEST_CASE("the text of a page without its head, scripts and markup")
{
    is("a<!-- <p>no</p> -->b<!doctype html><?php x ?>c", "abc\n");
    is("<style>p{}</style>a<script>if (a < b) {}</SCRIPT >b<template><p>no</template>c", "abc\n");
    is("<html><head><title>T</title><meta x></head><body>B</body></html>", "B\n");
    is("<head><p>The head has no end", "The head has no end\n");
    is("<!--[if mso]><table><tr><td>Outlook</td></tr></table><![endif]-->a"
       "<!--[if !mso]><!-->b<!--<![endif]--><![if !mso]>c<![endif]><!-->d<!--->e",
        "abcde\n");
    is("<xml><o:AllowPNG/><o:PixelsPerInch>96</o:PixelsPerInch></xml>a<o:p>&nbsp;</o:p>", "a\n");
}

TEST_CASE("broken markup")
{
    is("1 < 2 <3 <\n", "1 < 2 <3 <\n");
    is("<p title='a > b'>x", "x\n");
    is("<p", "");
    is("<a href=\"never closed", "");
    is("<script>never closed", "");
    is("<!-- never closed", "");
    is("<b><p>x</b>y</p>z</div></table>!", "xy\n\nz!\n");
    is("<table><tr><td>a<td>b<tr><td>c</table>d", "a b\nc\n\nd\n");
    is("<ol><li>a<li>b</ol>", "1. a\n2. b\n");
    is(std::string("a\0b\xff\xc3", 5) + "c", "abc\n");
}

TEST_CASE("character references")
{
    is("a &lt;b&gt; &amp;amp; &quot;c&quot; &#8364; &#x20aC; &unknown; &",
        "a <b> &amp; \"c\" € € &unknown; &\n");
    is("&Uuml;ber &eacute;t&eacute; &ntilde; &szlig; &alpha;&Omega; &hearts; &infin; &ne; &rarr; &dagger;",
        "Über été ñ ß αΩ ♥ ∞ ≠ → †\n");
    is("&copy 2026 &eacutet&eacute; AT&T &ampersand <code>&amp;copy;</code> <b>&amp;copy</b>",
        "© 2026 &eacutet\u00e9 AT&T &ampersand &copy; &copy\n");
    is("&#150; &#x92; &#128;", "– ’ €\n"); // HTML 13.2.5.80: these numbers mean windows-1252
    is("a&#0;b&#xD800;c&#x110000;d", "abcd\n");
    is("<a href='https://example.com/?a=1&copy=2&amp;b=3'>x</a>",
        "x [https://example.com/?a=1&copy=2&b=3]\n");
}

TEST_CASE("white space and invisible characters")
{
    is("10&nbsp;000&nbsp; &nbsp;km&emsp;&thinsp;h&#x3000;", "10 000 km h\n");
    is("Hi&nbsp;&zwnj;&nbsp;&zwnj;&#847;&nbsp;&#8199;&shy;&#65279;&#8203; there", "Hi there\n");
    is("<div>&zwnj; &zwj;&#8203;</div>a", "a\n");
    is("long&shy;word &#8203;x", "longword x\n");
    is("می&zwnj;خواهم 👩&zwj;💻", "می\u200cخواهم 👩\u200d💻\n"); // between letters, joiners change the text
    is("<p>&nbsp;</p><p>a</p><p>&nbsp;</p><p></p><p>b</p>", "a\n\nb\n");
    is("<pre>a\n  b \n\n\n\tc\n</pre>d", "a\n  b\n\n\tc\n\nd\n");
    is("<div style='white-space: pre-wrap'>a\n  b</div>", "a\n  b\n");
    is("<b>a </b><i> b</i>", "a b\n");
}

TEST_CASE("links name their targets")
{
    is("<a href=\"https://example.com/?a=1&amp;b=2\">Open</a>.", "Open [https://example.com/?a=1&b=2].\n");
    is("<a href='https://example.com'>https://example.com</a>", "https://example.com\n");
    is("<a href='https://example.com/'>https://<b>example.com</b></a>", "https://example.com\n");
    is("<a href=mailto:ada@example.com>ada@example.com</a> <a href=\"#top\">up</a>", "ada@example.com up\n");
    is("<a href='mailto:ada@example.com?subject=Hi'>Write</a> <a href='tel:+4930123'>Call</a>",
        "Write [ada@example.com] Call [+4930123]\n");
    is("<a href=\"https://example.com\"><img src=x alt=\"Logo\"></a>", "Logo [https://example.com]\n");
    is("<a href=\"https://example.com\"></a>", "https://example.com\n");
    is("<a href='https://example.com'><div>Open</div></a><div>b</div>", "Open [https://example.com]\nb\n");
    is("<ul><li><a href='https://example.com'>https://example.com</a></ul>", "- https://example.com\n");
    is("<a href='javascript:x()'>a</a> <a href='/b'>b</a> <a href='data:,c'>c</a> <a>d</a>", "a b c d\n");
    is("<a href=' https://example.com/a\n\tb c '>x</a>", "x [https://example.com/ab%20c]\n");
    is("<a href='https://example.com/a&nbsp;b&zwj;ö'>x</a>", "x [https://example.com/abö]\n");
    is("<a style='display:none' href='https://example.com'>x</a>y", "y\n");
}

TEST_CASE("items of lists have bullets or their numbers")
{
    is("<ul><li>a</li><li><p>b</p></li></ul>c", "- a\n- b\n\nc\n");
    is("<ol><li>a</li><li>b</li></ol>", "1. a\n2. b\n");
    is("<ol start=9><li>a<li>b<li value=20>c<li>d</ol>", "9. a\n10. b\n20. c\n21. d\n");
    is("<ol start=x><li>a</ol><ol start=-1><li>b<li>c</ol>", "1. a\n\n-1. b\n0. c\n");
    is("<ol reversed><li>a<li>b<li>c</ol>", "3. a\n2. b\n1. c\n");
    is("<ol type=a start=26><li>a<li>b</ol><ol type=A><li>c</ol>", "z. a\naa. b\n\nA. c\n");
    is("<ol type=i><li>a<li>b<li>c<li>d</ol><ol type=I start=1994><li>e</ol>",
        "i. a\nii. b\niii. c\niv. d\n\nMCMXCIV. e\n");
    is("<ol type=i start=4000><li>a</ol><ol type=a start=0><li>b</ol>", "4000. a\n\n0. b\n");
    is("<ol><li>a<ol><li>b<li>c</ol><li>d<ul><li>e</ul></ol>", "1. a\n   1. b\n   2. c\n2. d\n   - e\n");
    is("<ol><li><p>a</p><p>b</p></li><li>c<br>d</li></ol>", "1. a\n\n   b\n2. c\n   d\n");
    is("<ol><li>a</li><ul><li>b</li></ul><li>c</li></ol>", "1. a\n\n- b\n\n2. c\n");
    is("<li>a<li>b", "- a\n- b\n");
}

TEST_CASE("quotations are marked on every line")
{
    is("a<blockquote>b<br>c<p>d</p></blockquote>e", "a\n\n> b\n> c\n>\n> d\n\ne\n");
    is("<blockquote>a<blockquote>b</blockquote>c</blockquote>", "> a\n>\n> > b\n>\n> c\n");
    is("<blockquote><ul><li>a<br>b</ul></blockquote>", "> - a\n>   b\n");
    is("<blockquote></blockquote>a", "a\n");
}

TEST_CASE("tables of data keep rows on lines and cells apart")
{
    is("<table><tr><th>Item</th><th>Price</th></tr><tr><td>Blue<br>mug</td><td><p>$9.00</p></td></tr></"
       "table>",
        "Item | Price\nBlue mug | $9.00\n");
    is("<table><tr><td>Mug</td><td>$9</td></tr><tr><td>Tea</td><td>$4</td></tr></table>x",
        "Mug | $9\nTea | $4\n\nx\n");
    is("<table><caption>Plan</caption><thead><tr><th></th><th>A</th></tr></thead>"
       "<tr><td>x</td><td></td></tr><tr><td></td><td></td></tr></table>",
        "Plan\n| A\nx\n");
    is("<table><tr><th>a<th>b<th>c</tr><tr><td>1<td><td>3</tr></table>", "a | b | c\n1 | | 3\n");
    is("<table><tr><td colspan=2>Total</td></tr><tr><td>a</td><td>b</td></tr></table>", "Total\na | b\n");
    is("<table><tr><th>Item</th><th>Link</th></tr><tr><td>a</td><td><a "
       "href='https://example.com'>b</a></td></tr>"
       "</table>",
        "Item | Link\na | b [https://example.com]\n");
}

TEST_CASE("tables of a layout become lines and paragraphs")
{
    is("<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>", "a b\nc\n");
    is("<table role=presentation><tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table>",
        "a b\nc d\n");
    is("<table><tr><td><table><tr><td><p>Hello</p></td></tr></table></td></tr>"
       "<tr><td><table><tr><td>World</td></tr></table></td></tr></table>",
        "Hello\n\nWorld\n");
    is("<table><tr><td><h1>Left</h1></td><td><p>Right</p></td></tr></table>", "Left\n\nRight\n");
    std::string const left = "Delivery to every country of the European Union within two days.";
    std::string const right = "Returns are free within sixty days after the delivery.";
    is("<table><tr><td>" + left + "</td><td>" + right + "</td></tr></table>", left + '\n' + right + '\n');
}

TEST_CASE("hidden parts are left out")
{
    for (std::string const style : {"display:none", "DISPLAY: None !important", "color:red;display : none;",
             "visibility:hidden", "mso-hide:all", "font-size:0", "font-size:0px;line-height:0",
             "max-height:0", "max-height: 0.0px; overflow: hidden", "height:0;overflow:hidden", "opacity:0"})
        is("<div style='" + style + "'>preview <b>text</b></div>a", "a\n");
    is("<p hidden>no</p>a", "a\n");
    is("<div style='height:0'>a</div><div style='max-height:0.5em;opacity:0.9'>b</div>", "a\nb\n");
    is("<div style='font-size:0'><img alt=Logo> no <p style='font-size:14px'>a</p></div>", "Logo\n\na\n");
    is("<div style='font-size:0'>no <b style='font-size:120%'>no</b></div>a", "a\n");
    is("<div style='visibility:hidden'>no <b style='visibility:visible'>a</b></div>", "a\n");
    is("<img style='display:none' alt=no><br hidden>a", "a\n");
    // Buttons for every reader except Outlook.
    is("<a href='https://example.com' style='mso-hide:all'>Open</a>", "Open [https://example.com]\n");
    is("<div style='mso-hide:all'><a href='https://example.com'>Open</a></div>",
        "Open [https://example.com]\n");
    is("<table><tr><th>a</th><th style='display:none'>b</th><th>c</th></tr></table>", "a | c\n");
}

TEST_CASE("hostile HTML is converted in a short time and with a bounded stack")
{
    auto const begin = std::chrono::steady_clock::now();
    std::size_t const mib = 1024 * 1024;
    for (std::string const tag : {"div", "b", "ul", "ol", "li", "table", "blockquote", "a href=https://x",
             "td", "font style='font-size:0'", "p", "pre", "span hidden", "i style='mso-hide:all'"}) {
        INFO(tag);
        auto const text = mail::plain_text(repeated('<' + tag + '>', 100'000) + "x");
        CHECK(text.size() < 4 * mib);
    }
    CHECK(mail::plain_text(repeated("<div>", 80'000) + "in" + repeated("</div>", 80'000) + "out") ==
          "in\nout\n");
    CHECK(mail::plain_text(repeated("<b>", 100'000) + "in" + repeated("</b>", 100'000) + "out") == "inout\n");
    CHECK(mail::plain_text(repeated("<b>", 100'000) + repeated("</i>", 150'000) + 'x') == "x\n");
    std::string attributes = "<p", references;
    for (int i = 0; attributes.size() < mib - 20; ++i)
        attributes += " a" + std::to_string(i);
    CHECK(mail::plain_text(attributes + ">x") == "x\n");
    CHECK(mail::plain_text("y<p" + repeated(" b a", 250'000) + ">x").starts_with("y\n"));
    std::string elements = "y";
    for (int i = 0; elements.size() < mib - 20; ++i)
        elements += "<t" + std::to_string(i) + "></u" + std::to_string(i) + '>';
    CHECK(mail::plain_text(elements + 'x').starts_with('y'));
    for (std::string const part : {"<", "<!", "<!--", "<![", "&", "</", "<p a=\"", "<td>", "x<br>", "<li>x",
             "<hr>", "<tr><td>x", "<table><tr><th>x", "</p>", " ", "\n", "&zwj;", "x "})
        CHECK(mail::plain_text(repeated(part, mib / part.size())).size() < 8 * mib);
    auto const nested = repeated("<blockquote><ol start=1000000000><li>", 200) + repeated("x<br>", 150'000);
    CHECK(mail::plain_text(nested).size() < 8 * mib);
    // A conversion takes milliseconds. The limit allows for sanitizers and busy machines.
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::minutes(2));
}

TEST_CASE("HTML beyond a mebibyte is left out")
{
    auto const text = mail::plain_text(repeated("é ", mail::max_html_bytes / 3 + 10));
    CHECK(text == repeated("é ", mail::max_html_bytes / 3 - 1) + "é\n");
}
