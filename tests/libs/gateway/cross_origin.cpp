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

TEST_CASE("a preflight is answered for the host's scope, without a credential")
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
    CHECK(allowed(preflight({host("nobody.things.localhost"), page}, "/v1/things")).empty());
    CHECK(allowed(preflight({host("things.localhost"), page}, "/v1/things")).empty());
    CHECK(preflight({host("things.localhost"), page}, "/v1/things").status == 204);
    CHECK(preflight({at_demo, page}, "/v1/nope").status == 204);
    CHECK(preflight({at_demo, page}, "/v1/nope").header("access-control-allow-methods").empty());
}

TEST_CASE("OPTIONS that is no preflight is a method like any other")
{
    Page p;
    CHECK(p.f.send({.method = Method::options, .headers = {at_demo}}).status == 401);
    CHECK(p.f.send({.method = Method::options, .headers = {p.key}}).status == 405);
}

TEST_CASE("answers are shown to pages of allowed origins, errors too")
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

    // Another tenant's key at this host: the host's scope decides, not the key's.
    auto const other = bearer(p.f.mint("other", Environment::production));
    p.f.set_origins("other", Environment::production, {"https://evil.test"});
    auto const mixed = p.f.send({.headers = {at_demo, other, stranger}});
    CHECK(mixed.status == 401);
    CHECK(allowed(mixed).empty());
}

TEST_CASE("every answer may depend on the origin, and says so")
{
    Page p;
    CHECK(p.f.send({.headers = {p.key}}).header("vary") == "Origin");
    CHECK(p.f.send({.headers = {at_demo}}).header("vary") == "Origin");
    CHECK(p.f.send({.path = "/v1/fail/well", .headers = {p.key}}).header("vary") == "Accept, Origin");
}

TEST_CASE("an answer stands when its origin cannot be looked up")
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
