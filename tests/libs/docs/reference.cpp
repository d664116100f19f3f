#include "docs/reference.hpp"

#include <catch2/catch.hpp>

namespace {

docs::Reference const& reference()
{
    static docs::Reference const made(
        {"Title & <co>", "A \"summary\".", "1.2.3", "<h1>Tutorial</h1>\n"}, std::string_view("\x1f\x8b"));
    return made;
}

http::Request asking(std::vector<http::Header> headers = {})
{
    http::Request request;
    request.headers = std::move(headers);
    return request;
}

std::string header(http::Response const& response, std::string_view name)
{
    for (auto const& [known, value] : response.headers)
        if (known == name) return value;
    return {};
}

} // namespace

TEST_CASE("the front page shows the service's title, summary and version, escaped, and links")
{
    auto const page = reference().front(asking());
    CHECK(page.status == 200);
    CHECK(page.content_type == "text/html; charset=utf-8");
    auto const text = std::string(page.content());
    for (auto const* part : {"<h1>Title &amp; &lt;co&gt;</h1>", "A &quot;summary&quot;.", "Version 1.2.3",
             "href=\"docs\"", "href=\"docs/tutorial\"", "href=\"docs/openapi.json\"", "GET /livez"})
        CHECK_THAT(text, Catch::Contains(part));
    CHECK(text.find("{{") == std::string::npos);
}

TEST_CASE("the tutorial is shown as HTML, under the service's title")
{
    auto const text = std::string(reference().tutorial(asking()).content());
    CHECK_THAT(text, Catch::Contains("<h1>Tutorial</h1>") && Catch::Contains("Title &amp; &lt;co&gt;"));
}

TEST_CASE("the pages run no script of other hosts, and cannot be framed")
{
    for (auto const& page : {reference().front(asking()), reference().page(asking()),
             reference().tutorial(asking()), docs::Reference::stylesheet(asking())}) {
        auto const policy = header(page, "Content-Security-Policy");
        CHECK_THAT(policy, Catch::StartsWith("default-src 'none'; ") &&
                               Catch::Contains("frame-ancestors 'none'") && !Catch::Contains("unsafe"));
        CHECK(header(page, "X-Frame-Options") == "DENY");
    }
    auto const front = header(reference().front(asking()), "Content-Security-Policy");
    CHECK(front.find("script-src") == std::string::npos);
}

TEST_CASE("if the client already has a page, it gets 304 without a body")
{
    auto const page = reference().front(asking());
    auto const tag = header(page, "ETag");
    REQUIRE_FALSE(tag.empty());
    auto const again = reference().front(asking({{"If-None-Match", tag}}));
    CHECK(again.status == 304);
    CHECK(again.content().empty());
    CHECK(header(again, "ETag") == tag);
    CHECK(header(reference().tutorial(asking()), "ETag") != tag);
}
