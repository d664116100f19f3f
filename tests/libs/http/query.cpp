#include "http/query.hpp"

#include <catch2/catch.hpp>

#include <array>

namespace {

http::Request with_query(std::string_view query)
{
    http::Request request;
    request.query = query;
    return request;
}

/// `name:code` of each error.
std::vector<std::string> faults(http::Query const& query)
{
    std::vector<std::string> list;
    try {
        query.check();
    } catch (core::Error const& error) {
        CHECK(error.code().name == "VALIDATION_ERROR");
        for (auto const& fault : error.faults())
            list.push_back(fault.pointer + ":" + fault.code);
    }
    return list;
}

using List = std::vector<std::string>;

} // namespace

TEST_CASE("parameters are converted to their types")
{
    auto const request = with_query(
        "q=caf%C3%A9+au%20lait&n=-5&flag=true&kind=b&at=2026-01-31T12:00:00.5%2B01:00&limit=100&&empty=&x");
    http::Query query(request);
    std::array<std::string_view, 3> const kinds{"a", "b", "c"};
    CHECK(query.text("q", 1, 12) == "caf\xc3\xa9 au lait");
    CHECK(query.integer("n", 0, -10, 10) == -5);
    CHECK(query.boolean("flag", false));
    CHECK(query.one_of("kind", kinds) == 1U);
    CHECK(query.time("at") == core::parse_rfc3339("2026-01-31T11:00:00.5Z"));
    CHECK(query.limit() == 100);
    CHECK(query.text("empty", 0, 1) == "");
    CHECK(query.text("x", 0, 1) == "");
    CHECK(faults(query).empty());
}

TEST_CASE("a parameter may have several names, separated by commas")
{
    std::array<std::string_view, 3> const kinds{"a", "b", "c"};
    auto const read = [&](std::string_view value) {
        std::string const text = "kind=" + std::string(value);
        auto const request = with_query(text);
        http::Query query(request);
        auto const found = query.some_of("kind", kinds);
        CHECK(found.empty() == (faults(query) == List{"?kind:not_allowed"}));
        return found;
    };
    CHECK(read("c,a,c") == std::vector<std::size_t>{0, 2});
    CHECK(read("b") == std::vector<std::size_t>{1});
    for (auto const* wrong : {"", ",", "a,", ",a", "a,d", "A", "a b"})
        CHECK(read(wrong).empty());
    http::Request const none = with_query("");
    http::Query query(none);
    CHECK(query.some_of("kind", kinds).empty());
    CHECK(faults(query).empty());
}

TEST_CASE("an absent parameter has its default")
{
    auto const request = with_query("other=1");
    http::Query query(request);
    CHECK_FALSE(query.text("q", 1, 5));
    CHECK(query.integer("n", 7, 0, 10) == 7);
    CHECK(query.boolean("flag", true));
    CHECK_FALSE(query.one_of("kind", std::array<std::string_view, 1>{"a"}));
    CHECK_FALSE(query.time("at"));
    CHECK(query.limit() == 20);
    CHECK(faults(query).empty());
}

TEST_CASE("all errors are reported together")
{
    auto const request = with_query("limit=0&n=1.5&flag=yes&kind=z&at=yesterday&q=&long=%C3%A9%C3%A9%C3%A9");
    http::Query query(request);
    CHECK(query.limit() == 20);
    query.integer("n", 0, 0, 10);
    query.boolean("flag", false);
    query.one_of("kind", std::array<std::string_view, 2>{"a", "b"});
    query.time("at");
    query.text("q", 1, 5);
    query.text("long", 1, 2);
    query.fault("cursor", "format", "is not a cursor");
    CHECK(faults(query) == List{"?limit:range", "?n:type", "?flag:type", "?kind:not_allowed", "?at:format",
                               "?q:too_short", "?long:too_long", "?cursor:format"});
}

TEST_CASE("a missing required parameter is reported once")
{
    auto const faults_of = [](std::string const& text) {
        auto const request = with_query(text);
        http::Query query(request);
        query.required_text("user", 1, 3);
        return faults(query);
    };
    CHECK(faults_of("user=ada").empty());
    CHECK(faults_of("") == List{"?user:required"});
    CHECK(faults_of("user=") == List{"?user:too_short"});
    CHECK(faults_of("user=a&user=b") == List{"?user:repeated"});
}

TEST_CASE("numbers must be plain decimal numbers")
{
    for (char const* text : {"limit=", "limit=+5", "limit=5+", "limit=0x5", "limit=5%20", "limit=five"}) {
        INFO(text);
        auto const request = with_query(text);
        http::Query query(request);
        query.limit();
        CHECK(faults(query) == List{"?limit:type"});
    }
    for (char const* text : {"limit=101", "limit=-1", "limit=99999999999999999999"}) {
        INFO(text);
        auto const request = with_query(text);
        http::Query query(request);
        query.limit();
        CHECK(faults(query) == List{"?limit:range"});
    }
}

TEST_CASE("text must be UTF-8 without U+0000, and given once")
{
    for (char const* text : {"q=%ff", "q=a%00", "q=%C3", "q=%zz", "q=%"}) {
        INFO(text);
        auto const request = with_query(text);
        http::Query query(request);
        CHECK_FALSE(query.text("q", 0, 100));
        CHECK(faults(query) == List{"?q:format"});
    }
    auto const twice = with_query("q=a&%71=a&r=1&r=2");
    http::Query query(twice);
    CHECK_FALSE(query.text("q", 0, 100));
    CHECK(faults(query) == List{"?q:repeated"});
}
