#include "support.hpp"
#include "testing/redis.hpp"

using core::Environment;

namespace {

std::pair<std::string, std::string> user(Fixture& f, std::string const& subject)
{
    return bearer(f.issuer.token({.environment = Environment::production, .subject = subject}));
}

auto const at_demo = host("demo.things.localhost");

} // namespace

TEST_CASE("a user's requests are limited, each user's apart, others' are not")
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

TEST_CASE("what is refused before the limit does not count")
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

TEST_CASE("a tenant's own limit holds for its keys and users")
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

TEST_CASE("without Redis the limit is waived or the request refused, as the service says")
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

TEST_CASE("large bodies wait outside while there are too many of them")
{
    Fixture f({.large_bodies = 1});
    Fixture full({.large_bodies = 0});
    std::string const large(300'000, 'x'), small(1'000, 'x');
    auto const send = [&](Fixture& to, std::string const& body, std::string const& path = "/v1/files") {
        return to.send({.method = http::Method::post,
            .path = path,
            .headers = {bearer(to.mint("demo", Environment::production))},
            .body = body});
    };
    for (int i = 0; i < 3; ++i) // each gives its place back
        CHECK(send(f, large).status == 200);
    auto const refused = send(full, large);
    CHECK(refused.status == 503);
    CHECK(refused.code() == "UNAVAILABLE");
    CHECK(refused.header("retry-after") == "1");
    CHECK(send(full, small).status == 200);
    CHECK(send(full, large, "/v1/things").status == 200);
}
