#include "console/bundle.hpp"
#include "support/eventually.hpp"
#include "support/json.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

#include <string>

// The routes of the console. Its files are tested with a bundle of their own in tests/libs/console.

namespace {

World::Options with_urls()
{
    return {.environment = {{"CONSOLE_FEEDBACK_URL", "http://{tenant}.feedback.localhost:8101"},
                {"CONSOLE_BILLING_URL", "http://{tenant}.billing.localhost:8104"}}};
}

/// The status of the console's pages: 404 if the program was built without them.
unsigned page_status()
{
    return console::built_bundle().empty() ? 404 : 200;
}

} // namespace

TEST_CASE("anyone can open the console and its paths", "[pages]")
{
    World const world(with_urls());
    auto visitor = world.client();
    for (auto const* path : {"/console", "/console/", "/console/users/ada@example.com",
             "/console/callback?code=x", "/console/notify/broadcasts/1/devices"}) {
        CAPTURE(path);
        auto const page = visitor.get(path);
        CHECK(page.status == page_status());
        if (page.status == 404) {
            CHECK(page.header("content-type") == "text/html; charset=utf-8");
            continue;
        }
        CHECK(page.body.find("<!doctype html>") != std::string::npos);
        CHECK(page.header("cache-control") == "no-cache");
        CHECK(page.header("content-security-policy")
                  .find("connect-src 'self' http://demo-sandbox.feedback.localhost:8101 "
                        "http://demo-sandbox.billing.localhost:8104; ") != std::string::npos);
        CHECK(visitor.get(path, {{"If-None-Match", page.header("etag")}}).status == 304);
        CHECK(visitor.request("HEAD", path).status == 200);
    }
    for (auto const* path :
        {"/console/x.js", "/console/assets/x.js", "/console/assets/a/b", "/console/a/b/c/d/e"}) {
        CAPTURE(path);
        CHECK(visitor.get(path).status == 404);
    }
    CHECK(visitor.post("/console", "{}").status == 405);
}

TEST_CASE("the console's configuration names the hosts of the environment", "[pages]")
{
    World const world(with_urls());
    auto const answer = world.client().get("/console/config.json");
    REQUIRE(answer.status == page_status());
    if (answer.status == 404) {
        CHECK(error_of(answer) == "NOT_FOUND");
        return;
    }
    auto const config = answer.json();
    CHECK(text(config, "feedbackUrl") == "http://demo-sandbox.feedback.localhost:8101");
    CHECK(config.at("notifyUrl").is_null());
    CHECK(text(config, "billingUrl") == "http://demo-sandbox.billing.localhost:8104");
    CHECK(text(config, "authUrl").starts_with("http://demo-sandbox.auth.localhost"));
    CHECK(text(config, "otherEnvironmentUrl").starts_with("http://demo.auth.localhost"));
    CHECK(text(config, "tenant") == "demo");
    CHECK(text(config, "environment") == "sandbox");
    auto const production = world.client("demo").get("/console/config.json").json();
    CHECK(text(production, "environment") == "production");
    CHECK(text(production, "otherEnvironmentUrl") == text(config, "authUrl"));
    // The name is that of the hosted pages.
    REQUIRE(world.as_master().patch("/v1/settings", R"({"brand":"Acme"})").status == 200);
    CHECK(testing::eventually(
        [&] { return text(world.client().get("/console/config.json").json(), "displayName") == "Acme"; }));
}

TEST_CASE("an unknown tenant has no console, and a suspended tenant cannot use it", "[pages]")
{
    World const world(with_urls());
    for (auto const* path : {"/console", "/console/users", "/console/config.json"}) {
        CAPTURE(path);
        CHECK(world.client("nobody").get(path).status == 404);
    }
    CHECK(error_of(world.client("nobody").get("/console/config.json")) == "TENANT_NOT_FOUND");
    REQUIRE(world.as_master()
                .put("/v1/admin/tenants/demo", R"({"displayName":"Demo","status":"suspended"})")
                .status == 200);
    auto visitor = world.client();
    REQUIRE(testing::eventually([&] { return visitor.get("/console/config.json").status == 403; }));
    auto const page = visitor.get("/console");
    CHECK(page.status == 403);
    CHECK(page.header("content-type") == "text/html; charset=utf-8");
    CHECK(world.client("other").get("/console").status == page_status());
}

TEST_CASE("a network can load a tenant's console 600 times a minute", "[pages]")
{
    World const world(with_urls());
    auto visitor = world.client();
    for (int i = 0; i < 600; ++i)
        REQUIRE(visitor.get("/console/config.json", {{"X-Forwarded-For", "203.0.113.7"}}).status ==
                page_status());
    auto const refused = visitor.get("/console", {{"X-Forwarded-For", "203.0.113.200"}});
    CHECK(refused.status == 429);
    CHECK_FALSE(refused.header("retry-after").empty());
    CHECK(visitor.get("/console", {{"X-Forwarded-For", "203.0.114.7"}}).status == page_status());
    CHECK(world.client("other-sandbox").get("/console", {{"X-Forwarded-For", "203.0.113.7"}}).status ==
          page_status());
}

TEST_CASE("a URL of the console without a place for the tenant stops the service at start", "[pages]")
{
    World::Options const wrong{.environment = {{"CONSOLE_NOTIFY_URL", "https://notify.example.com"}}};
    CHECK_THROWS(World(wrong));
}
