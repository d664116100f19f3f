#include "gateway/cors.hpp"

#include "support.hpp"

namespace cors = gateway::cors;

namespace {

std::string header(http::Response const& response, std::string_view name)
{
    for (auto const& [key, value] : response.headers)
        if (key == name) return value;
    return "";
}

} // namespace

TEST_CASE("origins are compared character for character")
{
    std::vector<std::string> const allowed{"https://app.example.com", "http://localhost:3000"};
    CHECK(cors::is_allowed("https://app.example.com", allowed));
    CHECK(cors::is_allowed("http://localhost:3000", allowed));
    for (char const* origin : {"", "*", "null", "https://app.example.com/", "http://app.example.com",
             "https://app.example.com:443", "https://APP.example.com", "https://evil.test",
             "https://app.example.com.evil.test", "https://sub.app.example.com"}) {
        INFO(origin);
        CHECK_FALSE(cors::is_allowed(origin, allowed));
    }
    CHECK_FALSE(cors::is_allowed("*", std::vector<std::string>{"*"}));
    CHECK_FALSE(cors::is_allowed("null", std::vector<std::string>{"null"}));
}

TEST_CASE("a page of a host uses https, or http if the service uses it, and other ports only on local hosts")
{
    std::string_view const host = "demo.auth.example.com";
    std::string_view const local = "demo.auth.localhost";
    for (bool const plain_http : {false, true}) {
        CAPTURE(plain_http);
        CHECK(cors::is_page_of("https://demo.auth.example.com", host, plain_http));
        CHECK(cors::is_page_of("http://demo.auth.example.com", host, plain_http) == plain_http);
        CHECK_FALSE(cors::is_page_of("https://demo.auth.example.com:8443", host, plain_http));
        CHECK_FALSE(cors::is_page_of("http://demo.auth.example.com:8080", host, plain_http));
        CHECK_FALSE(cors::is_page_of("https://demo.auth.example.com.evil.test", host, plain_http));
        CHECK_FALSE(cors::is_page_of("https://evil.test", host, plain_http));
        CHECK_FALSE(cors::is_page_of("", host, plain_http));
        CHECK(cors::is_page_of("http://demo.auth.localhost:3000", local, plain_http));
        CHECK(cors::is_page_of("https://demo.auth.localhost:3000", local, plain_http));
    }
}

TEST_CASE("a preflight request has Origin and Access-Control-Request-Method")
{
    http::Request request;
    request.method = http::Method::options;
    CHECK_FALSE(cors::is_preflight(request));
    request.headers.push_back({"origin", "https://app.example.com"});
    CHECK_FALSE(cors::is_preflight(request));
    request.headers.push_back({"Access-Control-Request-Method", "PATCH"});
    CHECK(cors::is_preflight(request));
    request.method = http::Method::get;
    CHECK_FALSE(cors::is_preflight(request));
}

TEST_CASE("a preflight response lists the path's methods for allowed origins")
{
    auto const yes = cors::preflight("https://app.example.com", true, "GET, PATCH");
    CHECK(yes.status == 204);
    CHECK(yes.content_type.empty());
    CHECK(header(yes, "Access-Control-Allow-Origin") == "https://app.example.com");
    CHECK(header(yes, "Access-Control-Allow-Methods") == "GET, PATCH");
    CHECK(
        header(yes, "Access-Control-Allow-Headers") ==
        "Authorization, Content-Type, If-Match, Idempotency-Key, X-Tenant-Slug, X-Tenant-Env, X-Request-Id, "
        "traceparent");
    CHECK(header(yes, "Access-Control-Max-Age") == "600");

    auto const no = cors::preflight("https://evil.test", false, "GET, PATCH");
    CHECK(no.status == 204);
    REQUIRE(no.headers.size() == 1);
    CHECK(no.headers[0].first == "Vary");
}

TEST_CASE("a response varies by origin, even if the handler has set Vary")
{
    http::Response response;
    response.headers.emplace_back("Vary", "Accept");
    cors::expose(response, "https://app.example.com", true);
    CHECK(header(response, "Vary") == "Accept, Origin");
    CHECK(header(response, "Access-Control-Allow-Origin") == "https://app.example.com");
    CHECK(header(response, "Access-Control-Expose-Headers") ==
          "ETag, X-Request-Id, Retry-After, RateLimit, RateLimit-Policy, Idempotent-Replayed, Location");
    http::Response other;
    cors::expose(other, "https://evil.test", false);
    REQUIRE(other.headers.size() == 1);
    CHECK(header(other, "Vary") == "Origin");
}
