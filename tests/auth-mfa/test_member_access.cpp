#include "api/members.hpp"
#include "emails.hpp"
#include "factors.hpp"
#include "receiver.hpp"
#include "support/webhook_tests.hpp"

#include <catch2/catch.hpp>

// Access tokens whose user may do less than they state, and members whose invitation was withdrawn.

namespace {

constexpr char const* forbidden = "403 FORBIDDEN";
constexpr char const* unauthorized = "401 UNAUTHORIZED";

} // namespace

TEST_CASE("the access token of a former owner does not manage keys", "[members]")
{
    World const world;
    auto const owner = world.new_owner(), former = world.new_owner();
    auto as_owner = world.as(owner), as_former = world.as(former);
    auto const path = "/v1/members/" + former.user_id;
    char const* const sandbox = R"({"environment":"sandbox"})";
    auto const minted = testing::require(201, as_former.post("/v1/keys", sandbox));
    auto const key = text(minted.json(), "key"), prefix = text(minted.json(), "prefix");
    std::string expected = unauthorized;
    SECTION("after a demotion to admin")
    {
        REQUIRE(as_owner.patch(path, R"({"role":"admin"})").status == 200);
        expected = forbidden;
    }
    SECTION("after a demotion to user")
    {
        REQUIRE(as_owner.patch(path, R"({"role":"user"})").status == 200);
        expected = forbidden;
    }
    SECTION("after the account was disabled")
    {
        REQUIRE(as_owner.patch(path, R"({"status":"disabled"})").status == 200);
    }
    SECTION("after another owner has ended the sessions")
    {
        REQUIRE(as_owner.del(path + "/sessions").status == 200);
    }
    SECTION("after a logout")
    {
        REQUIRE(post(world, "/v1/auth/logout", {{"refreshToken", former.refresh_token}}).status == 200);
    }
    CHECK(outcome(as_former.get("/v1/settings")) == expected);
    CHECK(outcome(as_former.post("/v1/keys", sandbox)) == expected);
    CHECK(outcome(as_former.get("/v1/keys")) == expected);
    CHECK(outcome(as_former.post("/v1/keys/sandbox/rotate", "{}")) == expected);
    CHECK(outcome(as_former.del("/v1/keys/" + prefix)) == expected);
    CHECK(world.with(key).get("/v1/members").status == 200); // the key is neither rotated nor revoked
    CHECK(as_owner.get("/v1/keys").json().at("items").as_array().size() == 1);
    CHECK(as_owner.del("/v1/keys/" + prefix).status == 200);
}

TEST_CASE("the access token of a former admin does not manage webhooks and does not read the audit log",
    "[members]")
{
    World const world;
    testing::Receiver const receiver([](testing::Received const&) { return testing::reply(204); });
    auto const owner = world.new_owner();
    auto const admin = world.new_member(owner, "admin");
    auto as_owner = world.as(owner), as_admin = world.as(admin);
    auto const hook = body({{"url", receiver.url("/hook")}});
    auto const made = testing::require(201, as_admin.post("/v1/webhooks", hook));
    auto const webhook = "/v1/webhooks/" + text(made.json(), "webhookId");
    REQUIRE(as_admin.get("/v1/audit").status == 200);
    auto const member = "/v1/members/" + admin.user_id;
    std::string expected = unauthorized;
    SECTION("after a demotion")
    {
        REQUIRE(as_owner.patch(member, R"({"role":"user"})").status == 200);
        expected = forbidden;
    }
    SECTION("after the account was disabled")
    {
        REQUIRE(as_owner.patch(member, R"({"status":"disabled"})").status == 200);
    }
    SECTION("after an owner has ended the sessions")
    {
        REQUIRE(as_owner.del(member + "/sessions").status == 200);
    }
    CHECK(outcome(as_admin.get("/v1/members")) == expected);
    CHECK(outcome(as_admin.get("/v1/audit")) == expected);
    CHECK(outcome(as_admin.post("/v1/webhooks", hook)) == expected);
    CHECK(outcome(as_admin.get("/v1/webhooks")) == expected);
    CHECK(outcome(as_admin.get(webhook)) == expected);
    CHECK(outcome(as_admin.patch(webhook, R"({"enabled":false})")) == expected);
    CHECK(outcome(as_admin.post(webhook + "/rotate-secret", "{}")) == expected);
    CHECK(outcome(as_admin.post(webhook + "/test", "{}")) == expected);
    CHECK(outcome(as_admin.get(webhook + "/deliveries")) == expected);
    CHECK(outcome(as_admin.del(webhook)) == expected);
    CHECK(as_owner.get("/v1/webhooks").json().at("items").as_array().size() == 1);
    CHECK(as_owner.get(webhook).json().at("enabled").as_bool());
}

TEST_CASE("staff can test a webhook of their environment", "[members]")
{
    World const world;
    auto const owner = world.new_owner();
    auto const admin = world.new_member(owner, "admin");
    testing::check_webhook_tests({.manager = world.as(admin),
        .user = world.as(world.new_account()),
        .elsewhere = world.as(world.new_owner("other-sandbox"))});
}

TEST_CASE("an invited member who was disabled and enabled is invited again", "[members]")
{
    World const world;
    auto const owner = world.new_owner("demo");
    auto master = world.as_master("demo");
    auto const email = World::new_email();
    auto const made = testing::require(
        201, master.post("/v1/members", body({{"email", email}, {"role", "owner"}, {"invite", true}})));
    auto const path = "/v1/members/" + text(made.json(), "userId"), real = "/v1/members/" + owner.user_id;
    auto const withdrawn = token_of(world, email, invitation);
    REQUIRE(master.patch(path, R"({"status":"disabled"})").status == 200);
    auto const enabled = master.patch(path, R"({"status":"active"})");
    REQUIRE(enabled.status == 200);
    CHECK(text(enabled.json(), "status") == "invited");
    CHECK(text(master.get(path).json(), "status") == "invited");
    // Such an owner cannot sign in, so the other owner is the last one.
    CHECK(outcome(master.patch(real, R"({"role":"user"})")) == "409 CONFLICT");
    CHECK(outcome(master.patch(real, R"({"status":"disabled"})")) == "409 CONFLICT");

    auto const accept_with = [&](std::string const& token) {
        return post(
            world, "/v1/auth/invitations/accept", {{"token", token}, {"password", new_password}}, "demo");
    };
    auto const mails = mails_about(world, email, invitation);
    REQUIRE(mails.size() == 2);
    CHECK(outcome(accept_with(withdrawn)) == token_expired);
    auto const accepted = accept_with(mails[1].token);
    REQUIRE(accepted.status == 201);
    CHECK(text(accepted.json().at("user"), "status") == "active");
    CHECK(master.patch(real, R"({"role":"user"})").status == 200);
}

TEST_CASE("a search for members is expensive, however its query is encoded", "[members]")
{
    auto const is_expensive = [](char const* query) {
        http::Request request;
        request.query = query;
        return auth_mfa::searches_members(request);
    };
    for (auto const* query : {"q=x", "%71=x", "role=user&q=x", "role=user&%71=x", "%71=x&limit=1"}) {
        INFO(query);
        CHECK(is_expensive(query));
    }
    for (auto const* query : {"", "role=user", "email=ada%40example.com", "limit=1&status=active"}) {
        INFO(query);
        CHECK_FALSE(is_expensive(query));
    }
}
