#include "http/problem.hpp"

#include <boost/json.hpp>
#include <catch2/catch.hpp>

#include <algorithm>

namespace {

std::vector<std::string> values(http::Response const& response, std::string_view name)
{
    std::vector<std::string> found;
    for (auto const& header : response.headers) {
        if (header.first == name) found.push_back(header.second);
    }
    return found;
}

} // namespace

TEST_CASE("a problem has the members of RFC 9457 and the additional members")
{
    auto const response =
        http::problem(core::Error(core::codes::not_found, "There is no \"x\"."), "0123456789abcdef");
    CHECK(response.status == 404);
    CHECK(response.content_type == "application/problem+json");
    CHECK(boost::json::parse(response.body) ==
          boost::json::parse(R"({"type": "about:blank", "title": "Not Found", "status": 404,
              "detail": "There is no \"x\".", "error": "NOT_FOUND", "requestId": "0123456789abcdef"})"));
    CHECK(response.headers.empty());
}

TEST_CASE("a problem lists every invalid field")
{
    auto const response = http::problem(
        core::Error::validation({{"/title", "required", "is required"}, {"?limit", "range", "x"}}), "r");
    CHECK(response.status == 400);
    auto const body = boost::json::parse(response.body);
    CHECK(body.at("error") == "VALIDATION_ERROR");
    CHECK(body.at("errors") == boost::json::parse(R"([
        {"pointer": "/title", "code": "required", "detail": "is required"},
        {"pointer": "?limit", "code": "range", "detail": "x"}])"));
}

TEST_CASE("a problem has the error's own members and headers")
{
    auto const response = http::problem(core::Error(core::codes::rate_limited, "Too many.")
                                            .header("Retry-After", "7")
                                            .member("attemptsRemaining", 0)
                                            .member("names", boost::json::array{"a", "b"}),
        "r");
    CHECK(response.status == 429);
    CHECK(values(response, "Retry-After") == std::vector<std::string>{"7"});
    auto const body = boost::json::parse(response.body);
    CHECK(body.at("attemptsRemaining") == 0);
    CHECK(body.at("names").as_array().size() == 2);
}

TEST_CASE("401 has WWW-Authenticate and 503 has Retry-After")
{
    auto const unauthorized = http::problem(core::Error(core::codes::unauthorized, "x"), "r");
    CHECK(values(unauthorized, "WWW-Authenticate") == std::vector<std::string>{"Bearer"});
    auto const unavailable = http::problem(core::Error(core::codes::unavailable, "x"), "r");
    CHECK(values(unavailable, "Retry-After") == std::vector<std::string>{"1"});
    auto const later = http::problem(core::Error::unavailable("x", 30), "r");
    CHECK(values(later, "Retry-After") == std::vector<std::string>{"30"});
    auto const own = http::problem(core::Error(core::codes::unauthorized, "x")
                                       .header("www-authenticate", "Bearer error=\"invalid_token\""),
        "r");
    CHECK(values(own, "WWW-Authenticate").empty());
}
