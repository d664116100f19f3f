#include "http_server/request_parser.hpp"

#include <catch2/catch.hpp>

using http_server::RequestParser;
using State = RequestParser::State;

namespace {

std::string const request_bytes = "POST /path?query HTTP/1.1\r\n"
                                  "Host: example.test\r\n"
                                  "X-Empty:\r\n"
                                  "Transfer-Encoding: chunked\r\n"
                                  "X-Last: value \r\n\r\n";
std::string const body_bytes =
    "4;x=y\r\nWiki\r\n6\r\npedia \r\nE\r\nin \r\n\r\nchunks.\r\n0\r\nX-T: u\r\n\r\n";

void check_head(http::Request const& request)
{
    CHECK(request.method == http::Method::post);
    CHECK(request.method_text == "POST");
    CHECK(request.target == "/path?query");
    CHECK(request.path == "/path");
    CHECK(request.query == "query");
    REQUIRE(request.headers.size() == 4);
    CHECK(request.header("host") == "example.test");
    CHECK(request.header("X-EMPTY") == "");
    CHECK(request.header("x-last") == "value");
    CHECK_FALSE(request.header("x-t"));
}

/// Parses `bytes`, which start with a complete head, to the end of the body. Returns the body.
std::string drain_body(RequestParser& parser, std::string const& bytes, std::size_t step)
{
    std::string body;
    std::size_t used = 0;
    std::size_t there = 0;
    while (!parser.body_done()) {
        auto const piece = parser.body(std::string_view(bytes).substr(used, there - used));
        REQUIRE(piece.state != State::failed);
        used += piece.used;
        body += piece.data;
        if (piece.data.empty() && piece.state == State::more) {
            REQUIRE(there < bytes.size());
            there = std::min(bytes.size(), there + step);
        }
    }
    CHECK(used == bytes.size());
    return body;
}

} // namespace

TEST_CASE("a head may arrive in any two pieces, and may be moved in memory between them")
{
    RequestParser parser;
    for (std::size_t split = 0; split <= request_bytes.size(); ++split) {
        INFO(split);
        http::Request request;
        parser.reset(16 * 1024);
        std::string first(request_bytes, 0, split);
        auto state = first.empty() ? State::more : parser.head(first, request);
        std::string const second = request_bytes;
        if (state == State::more) {
            parser.rebase(first, second, request);
            // The views must no longer point into the old memory.
            std::ranges::fill(first, '#');
            state = parser.head(second, request);
        } else {
            CHECK(split == request_bytes.size());
            parser.rebase(first, second, request);
        }
        REQUIRE(state == State::done);
        CHECK(parser.head_size() == request_bytes.size());
        CHECK(request.method_text.data() == second.data());
        if (split < request_bytes.size()) check_head(request);
    }
}

TEST_CASE("a head may arrive byte by byte")
{
    RequestParser parser;
    parser.reset(16 * 1024);
    http::Request request;
    for (std::size_t size = 1; size < request_bytes.size(); ++size)
        REQUIRE(parser.head(std::string_view(request_bytes).substr(0, size), request) == State::more);
    REQUIRE(parser.head(request_bytes, request) == State::done);
    check_head(request);
    CHECK(parser.http11());
    CHECK(parser.keep_alive());
    CHECK_FALSE(parser.content_length());
}

TEST_CASE("a chunked body may arrive in pieces of any size")
{
    RequestParser parser;
    for (std::size_t step = 1; step <= body_bytes.size(); ++step) {
        INFO(step);
        http::Request request;
        parser.reset(16 * 1024);
        REQUIRE(parser.head(request_bytes, request) == State::done);
        CHECK(drain_body(parser, body_bytes, step) == "Wikipedia in \r\n\r\nchunks.");
    }
}

TEST_CASE("an empty chunked body may arrive in pieces of any size, with and without trailers")
{
    RequestParser parser;
    for (std::string const bytes : {"0\r\n\r\n", "0\r\nX-T: u\r\n\r\n", "00;x=y\r\n\r\n", "00\r\n\r\n"}) {
        for (std::size_t step = 1; step <= bytes.size(); ++step) {
            INFO(bytes << step);
            http::Request request;
            parser.reset(16 * 1024);
            REQUIRE(parser.head(request_bytes, request) == State::done);
            CHECK(drain_body(parser, bytes, step).empty());
        }
    }
}

TEST_CASE("a chunk's data may look like a last chunk")
{
    RequestParser parser;
    std::string const bytes = "3\r\n0\r\n\r\n0\r\n\r\n";
    for (std::size_t step = 1; step <= bytes.size(); ++step) {
        INFO(step);
        http::Request request;
        parser.reset(16 * 1024);
        REQUIRE(parser.head(request_bytes, request) == State::done);
        CHECK(drain_body(parser, bytes, step) == "0\r\n");
    }
}

TEST_CASE("the size line of a chunk, and the last chunk with trailers, are limited to 1 KiB for every "
          "division into pieces")
{
    constexpr std::size_t limit = RequestParser::chunk_line_limit;
    auto const padded = [](std::string const& before, char padding, std::string const& after,
                            std::size_t size) {
        return before + std::string(size - before.size() - after.size(), padding) + after;
    };
    auto const [before, padding, after, rest] = GENERATE(table<std::string, char, std::string, std::string>({
        {"1;", 'x', "\r\n", "a\r\n0\r\n\r\n"}, // an extension
        {"", '0', "1\r\n", "a\r\n0\r\n\r\n"},  // a size with zeros
        {"0;", 'x', "\r\n\r\n", ""},           // an extension of the last chunk
        {"0\r\nX: ", 'x', "\r\n\r\n", ""},     // a trailer
    }));
    std::string const longest = padded(before, padding, after, limit) + rest;
    std::string const longer = padded(before, padding, after, limit + 1) + rest;
    RequestParser parser;
    for (std::size_t const step : {std::size_t{1}, std::size_t{100}, limit, limit + 1, 2 * limit}) {
        INFO(before << " by " << step);
        http::Request request;
        parser.reset(16 * 1024);
        REQUIRE(parser.head(request_bytes, request) == State::done);
        CHECK(drain_body(parser, longest, step) == (rest.empty() ? "" : "a"));

        http::Request other;
        parser.reset(16 * 1024);
        REQUIRE(parser.head(request_bytes, other) == State::done);
        std::size_t there = std::min(step, longer.size());
        auto piece = parser.body(std::string_view(longer).substr(0, there));
        while (piece.state == State::more && piece.data.empty() && there < longer.size()) {
            REQUIRE(piece.used == 0);
            there = std::min(there + step, longer.size());
            piece = parser.body(std::string_view(longer).substr(0, there));
        }
        CHECK(piece.state == State::failed);
        CHECK(parser.error().code().status == 400);
        CHECK(there <= limit + step);
    }
}

TEST_CASE("a body with a length ends where the next request begins")
{
    RequestParser parser;
    http::Request request;
    parser.reset(16 * 1024);
    std::string const bytes = "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabcGET";
    REQUIRE(parser.head(bytes, request) == State::done);
    CHECK(parser.content_length() == 3);
    auto const piece = parser.body(std::string_view(bytes).substr(parser.head_size()));
    CHECK(piece.data == "abc");
    CHECK(piece.used == 3);
    CHECK(piece.state == State::done);
    CHECK(parser.body_left() == 0);
}

TEST_CASE("connections persist according to HTTP/1.1 and HTTP/1.0")
{
    struct Case {
        char const* version;
        char const* field;
        bool keep;
    };

    auto const [version, field, keep] = GENERATE(values<Case>({{"1.1", "", true},
        {"1.1", "Connection: close\r\n", false}, {"1.1", "Connection: x, Close\r\n", false},
        {"1.1", "Connection: keep-alive\r\n", true}, {"1.0", "", false},
        {"1.0", "Connection: Keep-Alive\r\n", true}, {"1.0", "Connection: close\r\n", false}}));
    RequestParser parser;
    http::Request request;
    parser.reset(1024);
    std::string const bytes = std::string("GET / HTTP/") + version + "\r\nHost: a\r\n" + field + "\r\n";
    REQUIRE(parser.head(bytes, request) == State::done);
    CHECK(parser.keep_alive() == keep);
}
