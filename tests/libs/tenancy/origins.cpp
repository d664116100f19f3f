#include "tenancy/origins.hpp"

#include "core/error.hpp"

#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>

namespace {

std::string normalised(std::string_view text)
{
    return tenancy::normalise_origin(text).value_or("refused");
}

} // namespace

TEST_CASE("origins are normalised to the form that browsers send")
{
    CHECK(normalised("https://app.example.com") == "https://app.example.com");
    CHECK(normalised("HTTPS://App.Example.COM") == "https://app.example.com");
    CHECK(normalised("https://app.example.com:443") == "https://app.example.com");
    CHECK(normalised("http://app.example.com:80") == "http://app.example.com");
    CHECK(normalised("http://app.example.com:443") == "http://app.example.com:443");
    CHECK(normalised("https://app.example.com:8443") == "https://app.example.com:8443");
    CHECK(normalised("http://localhost:03000") == "http://localhost:3000");
    CHECK(normalised("https://app.example.com:") == "https://app.example.com");
    CHECK(normalised("http://127.0.0.1:3000") == "http://127.0.0.1:3000");
    CHECK(normalised("http://[::1]:3000") == "http://[::1]:3000");
    CHECK(normalised("http://[2001:DB8:0:0:0:0:0:1]") == "http://[2001:db8::1]");
    CHECK(normalised("https://xn--bcher-kva.example") == "https://xn--bcher-kva.example");
    CHECK(normalised("https://my_app.example") == "https://my_app.example");
}

TEST_CASE("invalid origins are refused")
{
    for (auto const* text :
        {"", "*", "null", "example.com", "//example.com", "https:", "https://", "https:///", "https://*",
            "https://*.example.com", "https://example.com/", "https://example.com/app",
            "https://example.com?x", "https://example.com#x", "https://user@example.com",
            "https://user:secret@example.com", "ftp://example.com", "ws://example.com", "file:///etc",
            "javascript:alert(1)", "https://exam ple.com", " https://example.com", "https://example.com ",
            "https://example.com:0", "https://example.com:65536", "https://example.com:99999999999",
            "https://example.com:port", "https://.example.com", "https://example.com.", "https://a..b",
            "https://b\xc3\xbc"
            "cher.example",
            "https://b%C3%BC.example", "https://127.1", "https://2130706433", "https://0x7f000001",
            "https://[::1", "https://[v1.x]", "https://example.com\r\nX: y",
            "https://a.example,https://b.example"}) {
        INFO(text);
        CHECK(normalised(text) == "refused");
    }
    CHECK(normalised("https://" + std::string(254, 'a')) == "refused");
    CHECK(normalised(std::string_view("https://a\0b", 11)) == "refused");
}

TEST_CASE("a settings PATCH lists origins without duplicates")
{
    auto const body = boost::json::parse(
        R"({"allowedOrigins": ["https://A.example", "https://a.example:443", "http://localhost:3000"]})");
    core::Fields fields(body);
    auto const change = tenancy::change_origins(fields);
    fields.check();
    REQUIRE(change);
    CHECK(*change.value == std::vector<std::string>{"https://a.example", "http://localhost:3000"});
}

TEST_CASE("a settings PATCH reports every entry that is not an origin")
{
    auto const body =
        boost::json::parse(R"({"allowedOrigins": ["https://a.example", "*", "https://b.example/"]})");
    core::Fields fields(body);
    tenancy::change_origins(fields);
    REQUIRE(fields.faults().size() == 2);
    CHECK(fields.faults()[0].pointer == "/allowedOrigins/1");
    CHECK(fields.faults()[1].pointer == "/allowedOrigins/2");
}

TEST_CASE("null clears the origins, absence keeps them, and twenty are the maximum")
{
    auto const body = boost::json::parse(R"({"allowedOrigins": null, "other": 1})");
    core::Fields cleared(body);
    auto const change = tenancy::change_origins(cleared);
    CHECK(change.present);
    CHECK_FALSE(change.value);
    CHECK_FALSE(tenancy::change_origins(cleared, "absent").present);

    boost::json::array many;
    for (int i = 0; i < 21; ++i)
        many.emplace_back("https://a" + std::to_string(i) + ".example");
    boost::json::value const full = boost::json::object{{"allowedOrigins", many}};
    core::Fields fields(full);
    tenancy::change_origins(fields);
    REQUIRE(fields.faults().size() == 1);
    CHECK(fields.faults()[0].pointer == "/allowedOrigins");
    many.pop_back();
    boost::json::value const enough = boost::json::object{{"allowedOrigins", many}};
    core::Fields good(enough);
    CHECK(tenancy::change_origins(good).value->size() == 20);
    CHECK(good.ok());
}
