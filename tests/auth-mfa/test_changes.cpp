#include "factors.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

TEST_CASE("If-Match guards changes of a member", "[members]")
{
    World const world;
    auto const user = world.new_account();
    auto owner = world.as(world.new_owner());
    auto const path = "/v1/members/" + user.user_id;
    auto const first = owner.patch(path, R"({"role":"admin"})");
    REQUIRE(first.status == 200);
    auto const seen = first.header("etag");
    REQUIRE_FALSE(seen.empty());
    CHECK(owner.patch(path, R"({"role":"admin"})", {{"If-Match", seen}}).header("etag") == seen);
    auto const second = owner.patch(path, R"({"role":"user"})", {{"If-Match", seen}});
    CHECK(second.status == 200);
    CHECK(second.header("etag") != seen);
    CHECK(
        outcome(owner.patch(path, R"({"role":"admin"})", {{"If-Match", seen}})) == "412 PRECONDITION_FAILED");
    CHECK(text(world.as(user).get("/v1/auth/me").json(), "role") == "user");
    CHECK(owner.patch(path, R"({"role":"admin"})", {{"If-Match", "*"}}).status == 200);
}

TEST_CASE("an issuer is a URL of at most 512 bytes", "[settings]")
{
    World const world;
    auto caller = world.as(world.new_owner());
    auto const set = [&](std::string const& issuer) {
        boost::json::object const provider{
            {"issuer", issuer}, {"audience", "app"}, {"jwksUrl", "https://id.example.com/jwks"}};
        return caller.patch("/v1/settings", body({{"identityProviders", boost::json::array{provider}}}))
            .status;
    };
    std::string const longest = "https://id.example.com/" + std::string(489, 'x');
    CHECK(set(longest) == 200);
    CHECK(set(longest + "x") == 400);
    CHECK(set("not an address") == 400);
    CHECK(set("https://id.example.com/\u00e9") == 400);
}
