#include "http/network_key.hpp"
#include "support.hpp"
#include "support/redis.hpp"

using core::Environment;
namespace asio = boost::asio;

namespace {

std::pair<std::string, std::string> user(Fixture& f, std::string const& subject)
{
    return bearer(f.issuer.token({.environment = Environment::production, .subject = subject}));
}

auto const at_demo = host("demo.things.localhost");

} // namespace

TEST_CASE("requests of each user are limited separately, and requests of other callers are not limited")
{
    testing::Redis redis;
    Fixture f({.user_requests_per_minute = 3, .redis_url = redis.url()});
    auto const one = user(f, "one");
    for (int left = 2; left >= 0; --left) {
        auto const answer = f.send({.headers = {at_demo, one}});
        CHECK(answer.status == 200);
        CHECK(answer.header("ratelimit-policy") == "\"default\";q=3;w=60");
        CHECK_THAT(
            answer.header("ratelimit"), Catch::StartsWith("\"default\";r=" + std::to_string(left) + ";t="));
        CHECK(answer.header("retry-after").empty());
    }
    auto const refused = f.send({.headers = {at_demo, one}});
    CHECK(refused.status == 429);
    CHECK(refused.code() == "RATE_LIMITED");
    CHECK(std::stoi(refused.header("retry-after")) > 0);
    CHECK_THAT(refused.header("ratelimit"), Catch::StartsWith("\"default\";r=0;"));

    CHECK(f.send({.headers = {at_demo, user(f, "two")}}).status == 200);
    auto const key = bearer(f.mint("demo", Environment::production));
    for (int i = 0; i < 5; ++i) {
        auto const answer = f.send({.headers = {key}});
        CHECK(answer.status == 200);
        CHECK(answer.header("ratelimit").empty());
        CHECK(f.send({.headers = {at_demo, bearer(Fixture::master)}}).status == 200);
    }
}

TEST_CASE("requests that are refused before the limit do not count")
{
    testing::Redis redis;
    Fixture f({.user_requests_per_minute = 1, .redis_url = redis.url()});
    auto const one = user(f, "one");
    CHECK(f.send({.path = "/v1/nope", .headers = {at_demo, one}}).status == 404);
    CHECK(f.send({.method = http::Method::patch, .path = "/v1/staff", .headers = {at_demo, one}}).status ==
          403);
    CHECK(f.send({.headers = {at_demo, one}}).status == 200);
    CHECK(f.send({.headers = {at_demo, one}}).status == 429);
}

TEST_CASE("a tenant's own limit applies to its keys and users")
{
    testing::Redis redis;
    Fixture f({.user_requests_per_minute = 1, .redis_url = redis.url()});
    f.set_limit("demo", 2);
    auto const key = bearer(f.mint("demo", Environment::production));
    auto const other = bearer(f.mint("other", Environment::production));
    CHECK(f.send({.headers = {key}}).status == 200);
    CHECK(f.send({.headers = {key}}).status == 200);
    CHECK(f.send({.headers = {key}}).status == 429);
    for (int i = 0; i < 4; ++i)
        CHECK(f.send({.headers = {other}}).status == 200);
    auto const one = user(f, "one");
    CHECK(f.send({.headers = {at_demo, one}}).status == 200);
    CHECK(f.send({.headers = {at_demo, one}}).status == 200);
    CHECK(f.send({.headers = {at_demo, one}}).status == 429);

    f.set_limit("demo", 0);
    auto const none = f.send({.headers = {key}});
    CHECK(none.status == 429);
    CHECK(none.header("retry-after") == "60");
    CHECK(f.send({.headers = {at_demo, bearer(Fixture::master)}}).status == 200);
}

TEST_CASE("without Redis requests are not limited or are refused, as configured")
{
    testing::Redis redis;
    Fixture open({.fails_open = true, .user_requests_per_minute = 1, .redis_url = redis.url()});
    Fixture closed({.fails_open = false, .user_requests_per_minute = 1, .redis_url = redis.url()});
    redis.stop();
    auto const waived = open.send({.headers = {at_demo, user(open, "one")}});
    CHECK(waived.status == 200);
    CHECK(waived.header("ratelimit").empty());
    CHECK(open.send({.headers = {at_demo, user(open, "one")}}).status == 200);
    auto const refused = closed.send({.headers = {at_demo, user(closed, "one")}});
    CHECK(refused.status == 503);
    CHECK_FALSE(refused.header("retry-after").empty());
}

namespace {

/// A document whose JSON tree takes more than a few hundred bytes.
std::string document(std::size_t items)
{
    std::string text = R"({"items":[0)";
    for (std::size_t i = 1; i < items; ++i)
        text += ",1234567";
    return text + "]}";
}

Answer parse(Fixture& f, std::pair<std::string, std::string> const& credential, std::string const& peer,
    std::string const& path = "/v1/parse")
{
    return f.send({.method = http::Method::post,
        .path = path,
        .headers = {host("demo.things.localhost"), credential, {"Content-Type", "application/json"}},
        .body = document(100),
        .peer = peer});
}

constexpr std::size_t mebibyte = std::size_t{1} << 20;

} // namespace

TEST_CASE("a tenant that has used up its share of the body budget gets 503, and other tenants are served")
{
    Fixture f({.body_budget = mebibyte});
    auto const demo = bearer(f.mint("demo", Environment::production));
    auto const other = bearer(f.mint("other", Environment::production));
    auto const parse_as = [&](std::string const& slug, std::pair<std::string, std::string> const& key) {
        return f.send({.method = http::Method::post,
            .path = "/v1/parse",
            .headers = {host(slug + ".things.localhost"), key, {"Content-Type", "application/json"}},
            .body = document(100)});
    };
    auto held = f.bodies().lease({.scope_id = f.scope("demo", Environment::production).id});
    held->grow(mebibyte / 8 * 3);
    auto const refused = parse_as("demo", demo);
    CHECK(refused.status == 503);
    CHECK(refused.code() == "UNAVAILABLE");
    CHECK(refused.header("retry-after") == "1");
    CHECK(parse_as("other", other).status == 200);
    held.reset();
    CHECK(parse_as("demo", demo).status == 200);
    CHECK(f.bodies().held() == 0);
}

TEST_CASE("an environment that has used up its share of the body budget does not use the share of the "
          "tenant's other environment")
{
    Fixture f({.body_budget = mebibyte});
    auto const parse_as = [&](std::string const& name, Environment environment) {
        return f
            .send({.method = http::Method::post,
                .path = "/v1/parse",
                .headers = {host(name + ".things.localhost"), bearer(f.mint("demo", environment)),
                    {"Content-Type", "application/json"}},
                .body = document(100)})
            .status;
    };
    auto const held = f.bodies().lease({.scope_id = f.scope("demo", Environment::sandbox).id});
    held->grow(mebibyte / 8 * 3);
    CHECK(parse_as("demo-sandbox", Environment::sandbox) == 503);
    CHECK(parse_as("demo", Environment::production) == 200);
}

TEST_CASE("a network that has used up its share gets 503, unless a secret key identifies a tenant")
{
    Fixture f({.proxies = "10.0.0.0/8", .body_budget = mebibyte});
    auto const key = bearer(f.mint("demo", Environment::production));
    auto const app = bearer(f.mint("demo", Environment::production, "publishable"));
    auto const ada = user(f, "ada");
    auto const held =
        f.bodies().lease({.network = http::network_key(asio::ip::make_address("192.0.2.1"), 24, 48)});
    held->grow(mebibyte / 4);
    CHECK(parse(f, ada, "192.0.2.1").status == 503);
    CHECK(parse(f, app, "192.0.2.1").status == 503);
    CHECK(parse(f, {"X-None", "1"}, "192.0.2.1", "/v1/open-parse").status == 503);
    CHECK(parse(f, {"X-Forwarded-For", "192.0.2.1"}, "10.1.1.1", "/v1/open-parse").status == 503);
    CHECK(parse(f, {"X-None", "1"}, "10.1.1.1", "/v1/open-parse").status == 200);
    CHECK(parse(f, {"X-None", "1"}, "198.51.100.2", "/v1/open-parse").status == 200);
    CHECK(parse(f, ada, "198.51.100.2").status == 200);
    CHECK(parse(f, key, "192.0.2.1").status == 200);
}

TEST_CASE("a publishable key uses the anonymous share, because every copy of an app contains it")
{
    Fixture f({.body_budget = mebibyte});
    auto const app = bearer(f.mint("demo", Environment::production, "publishable"));
    auto const ada = user(f, "ada");
    std::vector<std::shared_ptr<http::BodyLease>> held;
    for (std::int64_t tenant : {1001, 1002, 1003, 1004}) { // together half of the budget
        held.push_back(f.bodies().lease({.scope_id = core::ScopeId{2 * tenant}, .anonymous = true}));
        held.back()->grow(mebibyte / 8);
    }
    CHECK(parse(f, app, "192.0.2.1").status == 503);
    CHECK(parse(f, ada, "192.0.2.1").status == 200);
    held.clear();
    CHECK(parse(f, app, "192.0.2.1").status == 200);
}

TEST_CASE("a waiting handler holds only the memory that it keeps")
{
    Fixture f;
    auto const key = bearer(f.mint("demo", Environment::production));
    // The route destroys its reader of the body, and then returns the number of bytes of the budget that are
    // still held.
    auto const answer = parse(f, key, "192.0.2.1");
    REQUIRE(answer.status == 200);
    CHECK(std::stoul(answer.body) <= 4096);
    CHECK(f.bodies().held() == 0);
}

TEST_CASE("anonymous routes accept bodies of 16 KiB, and other routes 1 MiB")
{
    Fixture f;
    auto const key = bearer(f.mint("demo", Environment::production));
    auto const send = [&](std::string const& path, std::size_t size) {
        return f
            .send({.method = http::Method::post,
                .path = path,
                .headers = {host("demo.things.localhost"), key},
                .body = std::string(size, 'x')})
            .status;
    };
    CHECK(send("/v1/open-parse", 16 * 1024) == 415);
    CHECK(send("/v1/open-parse", 16 * 1024 + 1) == 413);
    CHECK(send("/v1/things", 1024 * 1024) == 200);
    CHECK(send("/v1/things", 1024 * 1024 + 1) == 413);
}
