#include "support.hpp"

using core::Environment;
using http::Method;
using namespace std::chrono_literals;

namespace {

auto const at_demo = host("demo.things.localhost");
std::pair<std::string, std::string> const page{"Origin", "https://app.example.com"};

} // namespace

TEST_CASE("tokens of an erased tenant are refused by the next tenant of its slug")
{
    Fixture f;
    auto const made = testing::FakeClock::start + 10min;
    auto const status_of_token_from = [&](core::Time issued) {
        auto const seconds = std::chrono::floor<std::chrono::seconds>(issued.time_since_epoch()).count();
        auto const token = f.issuer.token({.environment = Environment::production}, {{"iat", seconds}});
        return f.send({.headers = {at_demo, bearer(token)}}).status;
    };
    CHECK(status_of_token_from(testing::FakeClock::start) == 200);
    f.clock.set(made);
    f.postgres.query("UPDATE tenants SET created_at = '2026-01-01T00:10:00Z' WHERE slug = 'demo'");
    f.forget();
    CHECK(status_of_token_from(testing::FakeClock::start) == 401);
    CHECK(status_of_token_from(made - 31s) == 401);
    CHECK(status_of_token_from(made - 30s) == 200); // 30 s of clock skew
    CHECK(status_of_token_from(made) == 200);
    CHECK(f.send({.headers = {at_demo, bearer(Fixture::master)}}).status == 200);
}

TEST_CASE("a 401 causes no look-up for its origin, so pages can read it only if the tenant is cached")
{
    Fixture f;
    f.set_origins("demo", Environment::production, {page.second});
    auto const shown = [&] {
        auto const answer = f.send({.headers = {at_demo, page}});
        CHECK(answer.status == 401);
        CHECK(answer.header("vary") == "Origin");
        return answer.header("access-control-allow-origin");
    };
    CHECK(shown().empty());
    CHECK(shown().empty()); // the first request did not load the tenant into the cache
    f.send(
        {.method = Method::options, .headers = {at_demo, page, {"Access-Control-Request-Method", "POST"}}});
    CHECK(shown() == page.second);
}
