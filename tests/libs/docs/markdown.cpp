#include "docs/markdown.hpp"

#include <catch2/catch.hpp>

TEST_CASE("Markdown becomes HTML")
{
    CHECK(docs::markdown_to_html("# A *b*\n\nc `d<e>`\n\n```sh\nf & g\n```\n") ==
          "<h1>A <em>b</em></h1>\n<p>c <code>d&lt;e&gt;</code></p>\n"
          "<pre><code class=\"language-sh\">f &amp; g\n</code></pre>\n");
}

TEST_CASE("links to other files of the repository become text, since a service does not serve them")
{
    CHECK(docs::markdown_to_html("[a *b*](../x.md#y) [c](https://example.com/) [d](#e)") ==
          "<p>a <em>b</em> <a href=\"https://example.com/\">c</a> <a href=\"#e\">d</a></p>\n");
}

TEST_CASE("images in files of the repository are left out, since a service does not serve them")
{
    CHECK(docs::markdown_to_html("a\n\n![b *c*](../x.png)\n![d](y.png)\n\ne ![f](z.png) g") ==
          "<p>a</p>\n<p>e  g</p>\n");
    CHECK(docs::markdown_to_html("[![a](b.png)](c.md)![d](https://example.com/e.png)") ==
          "<p><img src=\"https://example.com/e.png\" alt=\"d\" /></p>\n");
}

TEST_CASE("raw HTML and scripts in Markdown are left out")
{
    auto const html = docs::markdown_to_html("<script>x</script>\n\na <b onclick=x>b</b> [c](javascript:x)");
    CHECK(html.find("<script") == std::string::npos);
    CHECK(html.find("onclick") == std::string::npos);
    CHECK(html.find("javascript:") == std::string::npos);
}
