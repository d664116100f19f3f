#include "support/eventually.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

#include <fstream>

TEST_CASE("the hosted page enrols a phone in a browser", "[page]")
{
    World const world({.now = core::SystemClock().now()});
    constexpr char const* brand = "Demo & <Sons>";
    REQUIRE(world.as_master().patch("/v1/settings", body({{"brand", brand}})).status == 200);
    auto const ada = world.new_account();
    auto const folder = world.directory.path();
    auto const phone = World::new_phone();
    REQUIRE(testing::eventually(
        [&] { return world.client().get("/enroll").body.find("&lt;Sons&gt;") != std::string::npos; }));
    boost::json::object const input{
        {"url", "http://demo-sandbox.auth.localhost:" + std::to_string(world.host->port()) + "/enroll"},
        {"accessToken", ada.access_token}, {"phone", phone}, {"outbox", folder + "/sms"}, {"brand", brand},
        {"provider", World::provider}, {"screenshots", folder}};
    std::ofstream(folder + "/input.json") << boost::json::serialize(input);
    auto const output = testing::output_of(
        {"node", NPM_FOLDER "/enroll.mjs", folder + "/input.json"}, std::chrono::minutes(4));
    INFO(output);
    CHECK(output.ends_with("done\n"));

    // The account has the phone that the page enrolled.
    auto const me = world.as(ada).get("/v1/auth/me").json();
    CHECK(me.at("phoneVerified").as_bool());
    CHECK(text(me, "phone") == phone);
    CHECK(world.login(ada).status == 403);
}

TEST_CASE("the pages of mail links work in a browser", "[page]")
{
    World const world({.now = core::SystemClock().now()});
    constexpr char const* brand = "Demo & <Sons>";
    world.set({{"brand", brand}});
    auto const folder = world.directory.path();
    boost::json::object const input{
        {"origin", "http://demo-sandbox.auth.localhost:" + std::to_string(world.host->port())},
        {"brand", brand}, {"screenshots", folder}};
    std::ofstream(folder + "/input.json") << boost::json::serialize(input);
    auto const output = testing::output_of(
        {"node", NPM_FOLDER "/links.mjs", folder + "/input.json"}, std::chrono::minutes(8));
    INFO(output);
    CHECK(output.ends_with("done\n"));
}
