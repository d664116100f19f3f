#include "http/range.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

namespace {

/// Returns the requested part as `first+length`, `whole`, or the Content-Range of the error.
std::string requested(
    std::vector<http::Header> headers, std::uint64_t size = 10, std::string_view method = "GET")
{
    http::Request request;
    request.method = http::Method::get;
    request.method_text = method;
    request.headers = std::move(headers);
    try {
        auto const range = http::requested_range(request, size, "\"v1\"");
        return range ? std::to_string(range->first) + '+' + std::to_string(range->length) : "whole";
    } catch (core::Error const& error) {
        CHECK(error.code().status == 416);
        return error.headers().at(0).second;
    }
}

std::string requested(std::string_view range, std::uint64_t size = 10)
{
    return requested(std::vector<http::Header>{{"range", range}}, size);
}

} // namespace

TEST_CASE("a range is a part of the representation")
{
    CHECK(requested("bytes=0-0") == "0+1");
    CHECK(requested("bytes=0-9") == "0+10");
    CHECK(requested("bytes=3-5") == "3+3");
    CHECK(requested("bytes=3-") == "3+7");
    CHECK(requested("bytes=9-") == "9+1");
    CHECK(requested("bytes=-3") == "7+3");
    CHECK(requested("bytes=-11") == "0+10");
    CHECK(requested("bytes=3-99999999999999999999999") == "3+7");
    CHECK(requested("bytes=-99999999999999999999999") == "0+10");
    CHECK(requested("BYTES= 3-5 ") == "3+3");
    CHECK(requested("bytes=,3-5,") == "3+3");
    CHECK(requested("bytes=0-", 1'000'000'000'000) == "0+1000000000000");
}

TEST_CASE("a range without a byte of the representation is refused")
{
    CHECK(requested("bytes=10-") == "bytes */10");
    CHECK(requested("bytes=10-10") == "bytes */10");
    CHECK(requested("bytes=99999999999999999999999-") == "bytes */10");
    CHECK(requested("bytes=-0") == "bytes */10");
    CHECK(requested("bytes=0-", 0) == "bytes */0");
}

TEST_CASE("several ranges, malformed ranges and other units are ignored")
{
    for (auto const* range : {"", "bytes", "bytes=", "bytes=-", "bytes=,", "bytes=3", "bytes=5-3", "bytes=a-",
             "bytes=-a", "bytes=1-a", "bytes=+1-2", "bytes=0x1-2", "bytes=1--2", "bytes =1-2",
             "bytes=0-1,3-4", "lines=1-2", "1-2", "bytes=1.0-2", "bytes=1 - 2"}) {
        CAPTURE(range);
        CHECK(requested(range) == "whole");
    }
    CHECK(requested({{"Range", "bytes=0-1"}, {"Range", "bytes=2-3"}}) == "whole");
    CHECK(requested("bytes=-5", 0) == "whole");
    CHECK(requested(std::vector<http::Header>{}) == "whole");
}

TEST_CASE("only GET has ranges")
{
    CHECK(requested({{"Range", "bytes=0-1"}}, 10, "HEAD") == "whole");
    CHECK(requested({{"Range", "bytes=10-"}}, 10, "HEAD") == "whole");
}

TEST_CASE("If-Range must be the current tag")
{
    auto const with = [](std::string_view condition) {
        return requested({{"Range", "bytes=0-1"}, {"If-Range", condition}});
    };
    CHECK(with("\"v1\"") == "0+2");
    for (auto const* other :
        {"\"v2\"", "W/\"v1\"", "v1", "*", "", "\"v1\", \"v2\"", "Sun, 06 Nov 1994 08:49:37 GMT"})
        CHECK(with(other) == "whole");
    // The condition is checked first.
    CHECK(requested({{"Range", "bytes=10-"}, {"If-Range", "\"v2\""}}) == "whole");
}

TEST_CASE("Content-Range names the part and the length of the representation")
{
    CHECK(http::content_range({0, 500}, 1234) == "bytes 0-499/1234");
    CHECK(http::content_range({9, 1}, 10) == "bytes 9-9/10");
}
