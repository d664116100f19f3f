#include "support.hpp"
#include "support/redis.hpp"

using core::Environment;
using http::Method;
using namespace std::chrono_literals;

namespace {

auto const at_demo = host("demo.things.localhost");
auto const at_sandbox = host("demo-sandbox.things.localhost");

std::pair<std::string, std::string> user(Fixture& f, std::string const& subject,
    Environment environment = Environment::production, std::string const& role = "user")
{
    return bearer(f.issuer.token({.environment = environment, .subject = subject, .role = role}));
}

std::pair<std::string, std::string> erasure(Fixture& f, std::string const& subject,
    Environment environment = Environment::production, std::string const& tenant = "demo")
{
    return bearer(
        f.issuer.erasure_token({.tenant = tenant, .environment = environment, .subject = subject}, "things"));
}

Answer erase(Fixture& f, std::pair<std::string, std::string> const& credential,
    std::pair<std::string, std::string> const& at = at_demo)
{
    return f.send({.method = Method::post, .path = "/v1/erasures", .headers = {at, credential}});
}

void check_refused(Answer const& answer)
{
    CHECK(answer.status == 401);
    CHECK(answer.code() == "UNAUTHORIZED");
    CHECK(answer.header("www-authenticate") == "Bearer error=\"invalid_token\"");
}

} // namespace

TEST_CASE("access tokens of an erased user get 401 for 16 minutes, in one environment")
{
    for (bool const memory : {true, false}) {
        INFO(memory);
        Fixture f({.memory = memory});
        auto const ada = user(f, "ada");
        CHECK(f.send({.headers = {at_demo, ada}}).status == 200);
        f.erase_user("demo", Environment::production, "ada");
        check_refused(f.send({.headers = {at_demo, ada}}));
        check_refused(f.send({.headers = {at_demo, user(f, "ada", Environment::production, "owner")}}));
        check_refused(f.send({.path = "/v1/half-open", .headers = {at_demo, ada}}));
        check_refused(f.send({.path = "/v1/nope", .headers = {at_demo, ada}}));
        CHECK(f.send({.headers = {at_demo, user(f, "bob")}}).status == 200);
        CHECK(f.send({.headers = {at_sandbox, user(f, "ada", Environment::sandbox)}}).status == 200);
        CHECK(f.send({.headers = {at_demo, bearer(Fixture::master)}}).status == 200);
        CHECK(f.send({.headers = {bearer(f.mint("demo", Environment::production))}}).status == 200);
        f.clock.advance(14min + 59s);
        check_refused(f.send({.headers = {at_demo, ada}}));
        f.clock.advance(1min + 1s);
        CHECK(f.send({.headers = {at_demo, user(f, "ada")}}).status == 200);
    }
}

TEST_CASE("an erased user's token to enrol a factor gets 401")
{
    Fixture f;
    auto const enrolment = bearer(f.issuer.token(
        {.environment = Environment::production, .subject = "ada"}, {{"aud", "mfa-enrollment"}}));
    CHECK(f.send({.path = "/v1/enrol", .headers = {at_demo, enrolment}}).status == 200);
    f.erase_user("demo", Environment::production, "ada");
    check_refused(f.send({.path = "/v1/enrol", .headers = {at_demo, enrolment}}));
}

TEST_CASE("an erasure token is accepted by its route, also after the erasure")
{
    Fixture f;
    auto const answer = erase(f, erasure(f, "ada"));
    CHECK(answer.status == 200);
    CHECK_THAT(answer.body, Catch::Contains("\"caller\":\"ada \""));
    f.erase_user("demo", Environment::production, "ada");
    CHECK(erase(f, erasure(f, "ada")).status == 200);
    CHECK(erase(f, erasure(f, "ada", Environment::sandbox), at_sandbox).status == 200);
}

TEST_CASE("an erasure token gets 401 on every other route")
{
    Fixture f;
    auto const token = erasure(f, "ada");
    for (auto const* path : {"/v1/things", "/v1/half-open", "/v1/enrol", "/v1/users/ada/things/1", "/page"}) {
        INFO(path);
        check_refused(f.send({.path = path, .headers = {at_demo, token}}));
    }
    check_refused(f.send({.method = Method::patch, .path = "/v1/staff", .headers = {at_demo, token}}));
    check_refused(
        f.send({.method = Method::put, .path = "/v1/admin/tenants/demo", .headers = {at_demo, token}}));
}

TEST_CASE("other credentials get 401 on the route of erasure tokens")
{
    Fixture f;
    check_refused(erase(f, user(f, "ada")));
    check_refused(erase(f, user(f, "ada", Environment::production, "owner")));
    check_refused(erase(f, bearer(f.mint("demo", Environment::production))));
    check_refused(erase(f, bearer(f.mint("demo", Environment::production, "publishable"))));
    check_refused(erase(f, bearer(Fixture::master)));
    check_refused(erase(
        f, bearer(f.issuer.token({.environment = Environment::production}, {{"aud", "mfa-enrollment"}}))));
    check_refused(erase(f, bearer("nonsense")));
    CHECK(f.send({.method = Method::post, .path = "/v1/erasures", .headers = {at_demo}}).status == 401);
}

TEST_CASE("an erasure token of another scope, another service or with too long a lifetime gets 401")
{
    Fixture f;
    check_refused(erase(f, erasure(f, "ada", Environment::sandbox)));
    check_refused(erase(f, erasure(f, "ada", Environment::production, "other")));
    testing::TokenFor const ada{.environment = Environment::production, .subject = "ada"};
    check_refused(erase(f, bearer(f.issuer.erasure_token(ada, "notify"))));
    auto const late = core::unix_seconds(f.clock.now()) + 301;
    check_refused(erase(f, bearer(f.issuer.erasure_token(ada, "things", {{"exp", late}}))));
    CHECK(erase(f, erasure(f, "ada"), host("things.localhost")).status == 404);
}

TEST_CASE("an erasure token is accepted while the tenant is suspended")
{
    Fixture f;
    auto const at_asleep = host("asleep.things.localhost");
    CHECK(erase(f, erasure(f, "ada", Environment::production, "asleep"), at_asleep).status == 200);
    CHECK(erase(f, bearer(f.issuer.token({.tenant = "asleep", .environment = Environment::production})),
              at_asleep)
              .code() == "TENANT_SUSPENDED");
}

TEST_CASE("erasure tokens are not counted by the limit of requests")
{
    testing::Redis redis;
    Fixture f({.user_requests_per_minute = 1, .redis_url = redis.url()});
    for (int i = 0; i < 3; ++i)
        CHECK(erase(f, erasure(f, "ada")).status == 200);
    f.set_limit("demo", 1);
    for (int i = 0; i < 3; ++i)
        CHECK(erase(f, erasure(f, "ada")).status == 200);
    CHECK(f.send({.headers = {at_demo, user(f, "ada")}}).status == 200);
    CHECK(f.send({.headers = {at_demo, user(f, "ada")}}).status == 429);
}

TEST_CASE("if the database is down and no notifications arrive, access tokens get 503")
{
    Fixture f;
    auto const ada = user(f, "ada");
    CHECK(f.send({.headers = {at_demo, ada}}).status == 200);
    f.postgres.stop();
    CHECK(f.send({.headers = {at_demo, ada}}).status == 200); // all that is needed is in memory
    f.live = false;
    CHECK(f.send({.headers = {at_demo, ada}}).status == 503);
    f.postgres.start();
}
