#include "fixture.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <stdexcept>

using namespace console_test;

namespace {

constexpr char const* kept_for_a_year = "public, max-age=31536000, immutable";
constexpr char const* script = "assets/app-A1b2C3d4.js";

} // namespace

TEST_CASE("a bundle has the files of its folder, with their types")
{
    struct Case {
        std::string path, type, caching, beginning;
    };

    for (auto const& [path, type, caching, beginning] :
        {Case{script, "text/javascript; charset=utf-8", kept_for_a_year, "document.title"},
            Case{"assets/dot-E5f6G7h8.png", "image/png", kept_for_a_year, "\x89PNG"},
            Case{"favicon.svg", "image/svg+xml", "no-cache", "<svg "}}) {
        CAPTURE(path);
        auto const response = bundle().file(asking(), path);
        REQUIRE(response);
        CHECK(response->status == 200);
        CHECK(response->content_type == type);
        CHECK(header(*response, "Cache-Control") == caching);
        CHECK(body_of(*response).starts_with(beginning));
        // A client that has the file does not get it again.
        auto const tag = header(*response, "ETag");
        auto const again = bundle().file(asking({{"If-None-Match", tag}}), path);
        CHECK(again->status == 304);
        CHECK(body_of(*again).empty());
        CHECK(header(*again, "ETag") == tag);
        CHECK(header(*again, "Cache-Control") == caching);
    }
    for (auto const* missing : {"assets/app.js", "app-A1b2C3d4.js", "assets/app-A1b2C3d4.js.gz", "assets/",
             "", "index.html", "assets/../index.html"})
        CHECK_FALSE(bundle().file(asking(), missing));
}

TEST_CASE("text files are sent with gzip to clients that accept it, and images as they are")
{
    auto const gzip = asking({{"Accept-Encoding", "gzip, br"}});
    auto const compressed = bundle().file(gzip, script).value();
    CHECK(header(compressed, "Content-Encoding") == "gzip");
    CHECK(header(compressed, "Vary") == "Accept-Encoding");
    CHECK(body_of(compressed).starts_with("\x1f\x8b"));
    CHECK(header(compressed, "ETag") != header(bundle().file(asking(), script).value(), "ETag"));
    auto const image = bundle().file(gzip, "assets/dot-E5f6G7h8.png").value();
    CHECK(header(image, "Content-Encoding").empty());
    CHECK(image.content().size() == 8);
}

TEST_CASE("the page itself is revalidated before each use")
{
    auto const page = bundle().index(asking());
    CHECK(page.content_type == "text/html; charset=utf-8");
    CHECK(header(page, "Cache-Control") == "no-cache");
    CHECK(body_of(page).starts_with("<!doctype html>"));
    auto const again = bundle().index(asking({{"If-None-Match", header(page, "ETag")}}));
    CHECK(again.status == 304);
}

TEST_CASE("a bundle without files is empty, and a bundle without a page is refused")
{
    CHECK(console::Bundle({}).empty());
    CHECK_FALSE(bundle().empty());
    constexpr std::array no_page{console::File{"assets/a.js", "x", true}};
    CHECK_THROWS_AS(console::Bundle(no_page), std::invalid_argument);
    constexpr std::array plain_page{console::File{"index.html", "x", false}};
    CHECK_THROWS_AS(console::Bundle(plain_page), std::invalid_argument);
    constexpr std::array unknown{console::File{"index.html", "x", true}, console::File{"a.exe", "x", false}};
    CHECK_THROWS_AS(console::Bundle(unknown), std::invalid_argument);
}

TEST_CASE("names of the built files in assets/ contain a hash, because caches keep these files")
{
    for (auto const& file : console::built_files()) {
        if (!file.path.starts_with("assets/")) continue;
        CAPTURE(file.path);
        auto const stem = file.path.substr(0, file.path.rfind('.'));
        auto const hash = stem.substr(stem.rfind('.') + 1);
        CHECK(hash.size() == 8);
        CHECK(hash.find_first_not_of("0123456789abcdef") == std::string_view::npos);
    }
    CHECK_NOTHROW(console::built_bundle());
}

TEST_CASE("an extension of a web file makes a file name, and other dots do not")
{
    for (auto const* name : {"x.js", "a.b.css", "favicon.ico", "assets/x.woff2", "robots.txt", "x.map"})
        CHECK(console::is_file_name(name));
    for (auto const* name : {"", "users", "ada@example.com", "1.0", "x.", ".", "..", "x.JS", "users/a.js/b"})
        CHECK_FALSE(console::is_file_name(name));
}
