#include "docs/asset.hpp"

#include "core/gzip.hpp"
#include "support/run_awaitable.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <stdexcept>
#include <string>

namespace {

std::string compressed(std::string_view text)
{
    return core::gzip(text, 9);
}

/// Large enough for several pieces, the last of them full.
std::string const text = [] {
    std::string all(256 << 10, ' ');
    for (std::size_t i = 0; i < all.size(); ++i)
        all[i] = static_cast<char>('a' + i * i % 23);
    return all;
}();
std::string const gzip = compressed(text);

http::Request asking(std::vector<http::Header> headers = {})
{
    http::Request request;
    request.method = http::Method::get;
    request.headers = std::move(headers);
    return request;
}

std::string header(http::Response const& response, std::string_view name)
{
    auto const& all = response.headers;
    auto const found = std::ranges::find(all, name, [](auto const& h) { return h.first; });
    return found == all.end() ? "" : found->second;
}

} // namespace

TEST_CASE("an asset is sent compressed to clients that accept gzip and uncompressed to others")
{
    docs::Asset const asset(gzip, "text/javascript");
    for (std::string_view const taken : {"gzip", "GZip", "deflate, gzip;q=0.5", "br,\tgzip ; q=0.001", "*",
             "br;q=1, *;q=0.1", "*;q=0, gzip", "gzip, *;q=0"}) {
        INFO(taken);
        auto const response = asset.answer(asking({{"Accept-Encoding", taken}}));
        CHECK(response.status == 200);
        CHECK(response.content_type == "text/javascript");
        CHECK(header(response, "Content-Encoding") == "gzip");
        CHECK(header(response, "Vary") == "Accept-Encoding");
        CHECK(header(response, "Cache-Control") == "no-cache");
        CHECK(response.fixed_body.data() == gzip.data()); // the text is not copied
        CHECK(response.content() == gzip);
        CHECK_FALSE(response.stream);
    }
    for (std::string_view const not_taken : {"", "br", "gzip;q=0", "gzip; Q=0.000", "*;q=0", "identity",
             "gzip;q=0, *", "x-gzip2", ",;,", "gzi", "deflate;q=0, br"}) {
        INFO(not_taken);
        auto const response = asset.answer(asking({{"Accept-Encoding", not_taken}}));
        CHECK(response.status == 200);
        CHECK(header(response, "Content-Encoding").empty());
        CHECK(header(response, "Vary") == "Accept-Encoding");
        REQUIRE(response.stream);
    }
    CHECK(asset.answer(asking()).stream);
}

TEST_CASE("an uncompressed asset is sent in pieces of at most 64 KiB, from its start each time")
{
    docs::Asset const asset(gzip, "text/javascript");
    for (int time = 0; time < 2; ++time) {
        auto const response = asset.answer(asking());
        std::string all;
        std::size_t pieces = 0;
        for (;; ++pieces) {
            auto const piece = testing::run_awaitable(response.stream());
            CHECK(piece.size() <= 64 << 10);
            if (piece.empty()) break;
            all += piece;
        }
        CHECK(pieces >= 4);
        CHECK((all == text));
        CHECK(testing::run_awaitable(response.stream()).empty());
    }
}

TEST_CASE("a damaged asset is not sent as if it were complete")
{
    std::string damaged = gzip;
    damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 0x40);
    std::string const cut = gzip.substr(0, gzip.size() / 2);
    for (std::string_view const bytes : {std::string_view(damaged), std::string_view(cut)}) {
        docs::Asset const asset(bytes, "text/javascript");
        auto const response = asset.answer(asking());
        auto const read = [&] {
            while (!testing::run_awaitable(response.stream()).empty()) {
            }
        };
        CHECK_THROWS_AS(read(), std::runtime_error);
    }
}

TEST_CASE("an asset is not sent again to a client that has it")
{
    docs::Asset const asset(gzip, "text/javascript"), other(compressed("other"), "text/javascript");
    auto const plain = header(asset.answer(asking()), "ETag");
    auto const zipped = header(asset.answer(asking({{"Accept-Encoding", "gzip"}})), "ETag");
    CHECK(plain != zipped);
    CHECK(plain != header(other.answer(asking()), "ETag"));

    auto const again = [&](std::string const& tag, std::string_view encoding) {
        return asset.answer(asking({{"Accept-Encoding", encoding}, {"If-None-Match", tag}}));
    };
    // A proxy that compresses a response makes its tag a weak tag.
    for (auto const& tag : {plain, "W/" + plain, "\"x\", " + plain, std::string("*")}) {
        auto const response = again(tag, "");
        CHECK(response.status == 304);
        CHECK(response.body.empty());
        CHECK_FALSE(response.stream);
        CHECK(header(response, "ETag") == plain);
        CHECK(header(response, "Vary") == "Accept-Encoding");
        CHECK(header(response, "Cache-Control") == "no-cache");
    }
    CHECK(again(zipped, "gzip").status == 304);
    CHECK(again(zipped, "").status == 200);
    CHECK(again(plain, "gzip").status == 200);
    CHECK(again("\"x\"", "gzip").status == 200);
    CHECK(again("nonsense", "gzip").status == 200);
}
