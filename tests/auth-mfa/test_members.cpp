#include "factors.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

TEST_CASE("owners change roles, and the last owner cannot be demoted", "[members]")
{
    World const world;
    auto const owner = world.new_owner();
    auto const admin = world.new_member(owner, "admin");
    auto const user = world.new_account();
    auto as_owner = world.as(owner), as_admin = world.as(admin), as_user = world.as(user);

    auto const members = all_items(as_admin, "/v1/members", 2);
    REQUIRE(members.size() == 3);
    CHECK(text(members[0], "userId") == user.user_id);
    CHECK(text(members[1], "role") == "admin");
    CHECK(text(members[2], "role") == "owner");
    CHECK(as_user.get("/v1/members").status == 403);
    CHECK(as_admin.patch("/v1/members/" + user.user_id, R"({"role":"owner"})").status == 403);
    CHECK(as_owner.patch("/v1/members/" + user.user_id, R"({"role":"king"})").status == 400);
    CHECK(as_owner.patch("/v1/members/" + user.user_id, "{}").status == 400);
    CHECK(as_owner.patch("/v1/members/0190a5d2-0000-7000-8000-0000000000ff", R"({"role":"user"})").status ==
          404);
    CHECK(as_owner.patch("/v1/members/" + owner.user_id, R"({"role":"user"})").status == 409);
    CHECK(as_owner.patch("/v1/members/" + user.user_id, R"({"role":"owner"})").status == 200);
    CHECK(as_owner.patch("/v1/members/" + owner.user_id, R"({"role":"user"})").status == 200);
    CHECK(as_owner.get("/v1/settings").status == 403); // although the token still contains the role owner
    CHECK(claims_of(text(world.login(user).json(), "accessToken")).at("role").as_string() == "owner");

    auto const audit = all_items(as_admin, "/v1/audit");
    auto const moves = std::count_if(audit.begin(), audit.end(), [&](boost::json::value const& entry) {
        return entry.at("subjectId") == boost::json::value(user.user_id);
    });
    CHECK(moves == 1);
    CHECK(as_user.get("/v1/audit").status == 403);
}

TEST_CASE(
    "a demoted owner loses access at once, even if the token still contains the role owner", "[members]")
{
    World const world;
    auto const owner = world.new_owner(), former = world.new_owner();
    auto const user = world.new_account_with_totp();
    auto const member = "/v1/members/" + user.user_id;
    auto caller = world.as(former);
    auto const make_former = [&](char const* role) {
        REQUIRE(world.as(owner).patch("/v1/members/" + former.user_id, body({{"role", role}})).status == 200);
    };
    CHECK(caller.get("/v1/audit").status == 200);
    CHECK(caller.get("/v1/settings").status == 200);

    make_former("admin");
    CHECK(caller.get("/v1/audit").status == 200);
    CHECK(caller.get("/v1/members").status == 200);
    CHECK(caller.get("/v1/settings").status == 403);
    CHECK(caller.patch("/v1/settings", R"({"brand":"x"})").status == 403);
    CHECK(caller.patch(member, R"({"role":"admin"})").status == 403);
    CHECK(
        caller.del("/v1/members/" + owner.user_id + "/mfa").status == 403); // an admin cannot reset an owner

    make_former("user");
    CHECK(caller.get("/v1/audit").status == 403);
    CHECK(caller.get("/v1/members").status == 403);
    CHECK(caller.del(member + "/mfa").status == 403);
    CHECK(world.login(user).status == 403); // the factor still exists
    CHECK(text(caller.get("/v1/auth/me").json(), "role") == "user");
}

TEST_CASE("the operator creates a tenant's first owner", "[members]")
{
    World const world;
    auto master = world.as_master();
    auto const email = World::new_email();
    auto const path = "/v1/admin/tenants/demo/owners";
    auto const made = master.post(path, credentials(email, World::password)); // production by default
    REQUIRE(made.status == 201);
    CHECK(text(made.json(), "role") == "owner");
    CHECK(master.post(path, credentials(email, World::password)).status == 409);
    CHECK(world.client("demo").post("/v1/auth/login", credentials(email, World::password)).status == 200);
    CHECK(world.client().post("/v1/auth/login", credentials(email, World::password)).status == 401);
    CHECK(master.post(path, credentials(World::new_email(), "short")).status == 400);
    CHECK(master.post("/v1/admin/tenants/nobody/owners", credentials(email, World::password)).status == 404);
    CHECK(world.as(world.new_owner()).post(path, credentials(email, World::password)).status == 403);
}

TEST_CASE("requests with the same Idempotency-Key create only one owner", "[members]")
{
    World const world;
    auto master = world.as_master();
    auto const make = [&](std::string const& key, std::string const& request) {
        return master.post("/v1/admin/tenants/demo/owners", request, {{"Idempotency-Key", key}});
    };
    auto const email = World::new_email();
    auto const request = credentials(email, World::password);
    auto const made = make("first", request);
    REQUIRE(made.status == 201);
    CHECK(made.header("idempotent-replayed").empty());
    auto const again = make("first", request);
    CHECK(again.status == 201);
    CHECK(again.header("idempotent-replayed") == "true");
    CHECK(again.body == made.body);

    // Another body: another password, or another email.
    for (auto const& other :
        {credentials(email, "another good one"), credentials(World::new_email(), World::password)}) {
        auto const r = make("first", other);
        CHECK(r.status == 422);
        CHECK(error_of(r) == "IDEMPOTENCY_KEY_REUSED");
    }
    CHECK(world.client("demo").post("/v1/auth/login", request).status == 200);

    // A refusal is not stored, so the key can be used again.
    CHECK(make("second", request).status == 409);
    CHECK(make("second", credentials(World::new_email(), World::password)).status == 201);
    CHECK(world.postgres.query("SELECT count(*) FROM users") == "2");
}

TEST_CASE("an owner removes all factors of a member", "[members]")
{
    World const world;
    auto const owner = world.new_owner();
    auto ada = world.new_account_with_sms();
    world.enrol_totp(ada);
    auto const trusting = world.verify(world.challenged(ada), "totp", world.totp_code(ada, 1), true);
    REQUIRE(trusting.status == 200);
    auto const open = world.challenged(ada);
    auto const path = "/v1/members/" + ada.user_id + "/mfa";
    CHECK(world.as(ada).del(path).status == 403);
    CHECK(world.as(owner).del(path).status == 200);
    CHECK(world.login(ada).status == 200);
    CHECK(world.with(text(trusting.json(), "accessToken")).get("/v1/auth/me").status == 401);
    CHECK(outcome(world.verify(open, "recovery_code", ada.recovery_codes[0])) == expired);
    ada.take(world.login(ada));
    auto const factors = world.as(ada).get("/v1/auth/mfa").json();
    CHECK(factors.at("recoveryCodesLeft") == 0);
    CHECK(world.as(ada).get("/v1/auth/mfa/devices").json().at("items").as_array().empty());
    auto as_owner = world.as(owner);
    auto const audit = boost::json::serialize(all_items(as_owner, "/v1/audit"));
    CHECK(audit.find(ada.user_id) != std::string::npos);
    CHECK(audit.find(ada.phone) == std::string::npos);
}

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
