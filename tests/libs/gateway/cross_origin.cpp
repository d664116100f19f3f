#include "support.hpp"

using core::Environment;
using http::Method;

namespace {

std::pair<std::string, std::string> const page{"Origin", "https://app.example.com"};
std::pair<std::string, std::string> const stranger{"Origin", "https://evil.test"};
std::pair<std::string, std::string> const asks{"Access-Control-Request-Method", "POST"};
auto const at_demo = host("demo.things.localhost");

struct Page {
    Page() { f.set_origins("demo", Environment::production, {"https://app.example.com"}); }

    Fixture f;
    std::pair<std::string, std::string> key = bearer(f.mint("demo", Environment::production));
};

std::string allowed(Answer const& answer)
{
    return answer.header("access-control-allow-origin");
}

} // namespace

TEST_CASE("a preflight request is answered for the host's scope, without a credential")
{
    Page p;
    auto const yes = p.f.send({.method = Method::options, .headers = {at_demo, page, asks}});
    CHECK(yes.status == 204);
    CHECK(allowed(yes) == "https://app.example.com");
    CHECK(yes.header("access-control-allow-methods") == "GET, HEAD, POST");
    CHECK_THAT(yes.header("access-control-allow-headers"), Catch::Contains("X-Tenant-Slug"));
    CHECK_THAT(yes.header("vary"), Catch::StartsWith("Origin"));
    CHECK_FALSE(yes.header("x-request-id").empty());

    auto const preflight = [&](std::vector<std::pair<std::string, std::string>> headers, std::string path) {
        headers.push_back(asks);
        return p.f.send({.method = Method::options, .path = std::move(path), .headers = std::move(headers)});
    };
    CHECK(allowed(preflight({at_demo, stranger}, "/v1/things")).empty());
    CHECK(allowed(preflight({host("demo-sandbox.things.localhost"), page}, "/v1/things")).empty());
    CHECK(allowed(preflight({host("other.things.localhost"), page}, "/v1/things")).empty());
    CHECK(preflight({at_demo, page}, "/v1/nope").status == 204);
    CHECK(preflight({at_demo, page}, "/v1/nope").header("access-control-allow-methods").empty());
}

TEST_CASE("a preflight request whose host names no known tenant is allowed everything that it asks for")
{
    Page p;
    std::pair<std::string, std::string> const headers{
        "Access-Control-Request-Headers", "authorization,x-tenant-slug,x-of-the-page"};
    for (char const* name :
        {"things.localhost", "api.example.com", "nobody.things.localhost", "a.b.things.localhost"}) {
        INFO(name);
        for (auto const& origin : {page, stranger}) {
            auto const answer = p.f.send({.method = Method::options,
                .path = "/v1/any/path",
                .headers = {host(name), origin, {"Access-Control-Request-Method", "PATCH"}, headers}});
            CHECK(answer.status == 204);
            CHECK(allowed(answer) == origin.second);
            CHECK(answer.header("access-control-allow-methods") == "PATCH");
            CHECK(answer.header("access-control-allow-headers") == headers.second);
            CHECK_THAT(answer.header("vary"), Catch::StartsWith("Origin"));
        }
    }
    for (char const* none : {"*", "null"})
        CHECK(allowed(p.f.send({.method = Method::options,
                          .headers = {host("things.localhost"), {"Origin", none}, asks}}))
                .empty());

    // The actual request after the preflight is checked against the settings of its tenant.
    auto const at = [](char const* slug) {
        return std::pair<std::string, std::string>{"X-Tenant-Slug", slug};
    };
    auto const here = host("things.localhost");
    CHECK(allowed(p.f.send({.headers = {here, at("demo"), p.key, page}})) == page.second);
    CHECK(allowed(p.f.send({.headers = {here, at("demo"), p.key, stranger}})).empty());
    CHECK(allowed(p.f.send({.headers = {here, p.key, page}})) == page.second); // the key names its tenant
    CHECK(allowed(p.f.send({.path = "/v1/open", .headers = {here, at("other"), page}})).empty());
    CHECK(allowed(p.f.send({.path = "/v1/open", .headers = {here, at("nobody"), page}})).empty());
    CHECK(allowed(p.f.send({.path = "/v1/open", .headers = {here, page}})).empty());
}

TEST_CASE("pages of a tenant's own auth host may call the API without a setting")
{
    Page p;
    auto const asked_by = [&](std::string const& origin, std::string const& tenant) {
        return allowed(p.f.send({.method = Method::options,
            .headers = {host(tenant + ".things.localhost"), {"Origin", origin}, asks}}));
    };
    for (std::string const origin : {"http://demo.auth.localhost", "http://demo.auth.localhost:8102",
             "http://demo.auth.localhost:18102", "https://demo.auth.localhost"}) {
        INFO(origin);
        CHECK(asked_by(origin, "demo") == origin);
        CHECK(asked_by(origin, "demo-sandbox").empty());
        CHECK(asked_by(origin, "other").empty());
        CHECK(allowed(p.f.send({.headers = {p.key, {"Origin", origin}}})) == origin);
    }
    CHECK(asked_by("http://demo-sandbox.auth.localhost:8102", "demo-sandbox") ==
          "http://demo-sandbox.auth.localhost:8102");
    for (char const* origin : {"http://auth.localhost", "http://other.auth.localhost",
             "http://demo.auth.localhost:", "http://demo.auth.localhost:80x",
             "http://demo.auth.localhost.evil.test", "http://demo.auth.localhost/",
             "ftp://demo.auth.localhost", "http://x.demo.auth.localhost",
             "http://demo.auth.localhost:1234567"}) {
        INFO(origin);
        CHECK(asked_by(origin, "demo").empty());
    }
}

TEST_CASE("pages of a tenant's board host may call the API without a setting")
{
    Page p;
    auto const asked_by = [&](std::string const& origin, std::string const& tenant) {
        return allowed(p.f.send({.method = Method::options,
            .headers = {host(tenant + ".things.localhost"), {"Origin", origin}, asks}}));
    };
    for (std::string const origin : {"http://demo.board.localhost:8101", "https://demo.board.localhost"}) {
        INFO(origin);
        CHECK(asked_by(origin, "demo") == origin);
        CHECK(asked_by(origin, "demo-sandbox").empty());
        CHECK(asked_by(origin, "other").empty());
    }
    for (char const* origin : {"http://board.localhost", "http://other.board.localhost",
             "http://demo.board.localhost.evil.test", "http://x.demo.board.localhost"})
        CHECK(asked_by(origin, "demo").empty());
}

TEST_CASE("an OPTIONS request that is not a preflight request is handled like any other request")
{
    Page p;
    CHECK(p.f.send({.method = Method::options, .headers = {at_demo}}).status == 401);
    CHECK(p.f.send({.method = Method::options, .headers = {p.key}}).status == 405);
}

TEST_CASE("pages of allowed origins can read all responses, including errors")
{
    Page p;
    auto const good = p.f.send({.headers = {p.key, page}});
    CHECK(good.status == 200);
    CHECK(allowed(good) == "https://app.example.com");
    CHECK_THAT(good.header("access-control-expose-headers"), Catch::Contains("ETag"));
    CHECK(good.header("vary") == "Origin");
    CHECK(allowed(p.f.send({.headers = {p.key, stranger}})).empty());

    auto const refused = p.f.send({.headers = {at_demo, page}});
    CHECK(refused.status == 401);
    CHECK(allowed(refused) == "https://app.example.com");
    CHECK(allowed(p.f.send({.path = "/v1/nope", .headers = {p.key, page}})) == "https://app.example.com");
    CHECK(allowed(p.f.send({.path = "/v1/fail/bug", .headers = {p.key, page}})) == "https://app.example.com");

    // The request has another tenant's key. The origins of the host's scope apply, not those of the key's
    // scope.
    auto const other = bearer(p.f.mint("other", Environment::production));
    p.f.set_origins("other", Environment::production, {"https://evil.test"});
    auto const mixed = p.f.send({.headers = {at_demo, other, stranger}});
    CHECK(mixed.status == 401);
    CHECK(allowed(mixed).empty());
}

TEST_CASE("every response varies by origin")
{
    Page p;
    CHECK(p.f.send({.headers = {p.key}}).header("vary") == "Origin");
    CHECK(p.f.send({.headers = {at_demo}}).header("vary") == "Origin");
    CHECK(p.f.send({.path = "/v1/fail/well", .headers = {p.key}}).header("vary") == "Accept, Origin");
}

TEST_CASE("a response is sent even if its origin cannot be looked up")
{
    Page p;
    p.f.forget();
    p.f.postgres.stop();
    auto const answer = p.f.send({.headers = {at_demo, page}});
    CHECK(answer.status == 401);
    CHECK(allowed(answer).empty());
    CHECK(p.f.send({.method = Method::options, .headers = {at_demo, page, asks}}).status == 503);
    p.f.postgres.start();
}
