#include "http/message.hpp"

#include "core/error.hpp"
#include "core/id.hpp"

#include <boost/json.hpp>
#include <catch2/catch.hpp>

#include <stdexcept>

namespace {

http::Request with_body(std::string body, std::string_view type = "application/json")
{
    http::Request request;
    request.headers.push_back({"Content-Type", type});
    request.body = std::move(body);
    return request;
}

std::string_view code_of(http::Request const& request)
{
    try {
        request.json();
        return "";
    } catch (core::Error const& error) {
        return error.code().name;
    }
}

std::string nested(int depth)
{
    return std::string(static_cast<std::size_t>(depth), '[') +
           std::string(static_cast<std::size_t>(depth), ']');
}

} // namespace

TEST_CASE("the first header with a name is found, ignoring case")
{
    http::Request request;
    request.headers = {{"X-One", "1"}, {"x-ONE", "2"}, {"X-Empty", ""}};
    CHECK(request.header("x-one") == "1");
    CHECK(request.header("X-EMPTY") == "");
    CHECK_FALSE(request.header("X-On"));
    CHECK_FALSE(request.header("X-One "));
}

TEST_CASE("path parameters are texts or UUIDs")
{
    http::Request request;
    request.params = {{"id", "0190b3c2-7d5e-7c3a-9f00-6b2f7f1e5a11"}, {"name", "x"}};
    CHECK(request.param("name") == "x");
    CHECK(request.uuid_param("id").to_string() == "0190b3c2-7d5e-7c3a-9f00-6b2f7f1e5a11");
    CHECK_THROWS_AS(request.uuid_param("name"), core::Error);
    CHECK_THROWS_AS(request.param("other"), std::logic_error);
}

TEST_CASE("the text of a JSON body is freed after parsing, unless there is an Idempotency-Key")
{
    auto request = with_body(R"({"a":[1,"é",null,true,1.5]})");
    auto const value = request.json();
    CHECK(value.at("a").as_array().size() == 5);
    CHECK(value.at("a").at(1).as_string() == "é");
    CHECK(request.body.empty());
    CHECK(request.body.capacity() < 100);

    auto kept = with_body("[1]");
    kept.context.idempotency_key = "once";
    kept.json();
    CHECK(kept.body == "[1]");
}

TEST_CASE("a body must be declared as JSON")
{
    for (char const* type : {"application/json", "Application/JSON", "application/json; charset=utf-8",
             "application/json ;x=y", "application/merge-patch+json", "application/problem+JSON"}) {
        INFO(type);
        CHECK(code_of(with_body("{}", type)).empty());
    }
    for (char const* type : {"", "text/json", "application/jsonx", "application/+json", "application/xml",
             "json", "text/plain; application/json", "multipart/form-data"}) {
        INFO(type);
        CHECK(code_of(with_body("{}", type)) == "UNSUPPORTED_MEDIA_TYPE");
    }
    CHECK(code_of(http::Request()) == "UNSUPPORTED_MEDIA_TYPE");
}

TEST_CASE("invalid JSON is refused")
{
    for (char const* body :
        {"", " ", "{", "{}x", "{'a':1}", "[1,]", "{\"a\":}", "nul", "01", "// x\n{}", "\"\xff\"",
            "\"\xed\xa0\x80\"", "\"\xc0\x80\"", "\"\\ud800\"", "\"\n\"", "NaN", "\xef\xbb\xbf{}"}) {
        INFO(body);
        CHECK(code_of(with_body(body)) == "MALFORMED_JSON");
    }
    for (char const* body : {"{}", " [1] ", "null", "\"\\u0000\"", "-0.5e-10", "\"\\ud83d\\ude00\""}) {
        INFO(body);
        CHECK(code_of(with_body(body)).empty());
    }
}

TEST_CASE("JSON may be 32 levels deep")
{
    CHECK(code_of(with_body(nested(32))).empty());
    CHECK(code_of(with_body(nested(33))) == "MALFORMED_JSON");
    CHECK(code_of(with_body(nested(100'000))) == "MALFORMED_JSON");
}
