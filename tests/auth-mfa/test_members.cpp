#include "factors.hpp"
#include "support/eventually.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>

namespace json = boost::json;

TEST_CASE("owners change roles, and the last owner cannot be demoted", "[members]")
{
    World const world;
    auto const owner = world.new_owner();
    auto const admin = world.new_member(owner, "admin");
    auto const user = world.new_account();
    world.verify_email(user);
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
        return text(entry, "action") == "member.role" && text(entry, "subjectId") == user.user_id;
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
    world.verify_email(user);
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

TEST_CASE("an owner mints, rotates and revokes keys, with which a backend administers members", "[members]")
{
    World const world;
    auto const owner = world.new_owner();
    auto as_owner = world.as(owner);
    auto const admin = world.new_member(owner, "admin");
    char const* const sandbox = R"({"environment":"sandbox"})";
    auto const minted = as_owner.post("/v1/keys", sandbox);
    REQUIRE(minted.status == 201);
    CHECK(minted.header("cache-control") == "no-store");
    auto const first = text(minted.json(), "key"), prefix = text(minted.json(), "prefix");
    CHECK(first.starts_with("aut_"));
    CHECK(first.starts_with(prefix));
    CHECK(world.with(first).get("/v1/members").status == 200);
    CHECK(as_owner.get("/v1/keys").body.find(first) == std::string::npos);

    CHECK(world.as(admin).post("/v1/keys", sandbox).status == 403);
    CHECK(world.with(first).post("/v1/keys", sandbox).status == 403);
    CHECK(world.as(world.new_account()).post("/v1/keys", sandbox).status == 403);
    CHECK(as_owner.post("/v1/keys", R"({"environment":"production"})").status == 403);
    CHECK(world.with(first).get("/v1/settings").status == 403);
    CHECK(world.with(first).get("/v1/auth/me").status == 403);
    CHECK(world.with(first, "demo").get("/v1/members").status == 401);

    auto const rotated = as_owner.post("/v1/keys/sandbox/rotate", "{}");
    REQUIRE(rotated.status == 201);
    auto const second = text(rotated.json(), "key");
    CHECK(testing::eventually([&] { return world.with(first).get("/v1/members").status == 401; }));
    CHECK(world.with(second).get("/v1/members").status == 200);
    CHECK(as_owner.del("/v1/keys/" + text(rotated.json(), "prefix")).body == R"({"deleted":true})");
    CHECK(testing::eventually([&] { return world.with(second).get("/v1/members").status == 401; }));
    auto const by_master = world.as_master().post("/v1/keys", sandbox);
    REQUIRE(by_master.status == 201);
    CHECK(world.with(text(by_master.json(), "key")).get("/v1/members").status == 200);
}

TEST_CASE("members are listed by email, part of the email, role and status", "[members]")
{
    World const world;
    auto backend = world.with(world.new_key());
    auto const owner = world.new_owner();
    auto const add = [&](char const* email, json::object more) {
        more["email"] = email;
        auto const r = backend.post("/v1/members", body(more));
        INFO(r.body);
        REQUIRE(r.status == 201);
        return text(r.json(), "userId");
    };
    add("Ann@one.example", {});
    add("ben@one.example", {{"role", "admin"}, {"emailVerified", true}});
    add("cy@two.example", {{"role", "admin"}, {"invite", true}});
    auto const dee = add("dee@two.example", {{"password", World::password}});
    REQUIRE(backend.patch("/v1/members/" + dee, R"({"status":"disabled"})").status == 200);

    /// The emails of the list, sorted, without the owner's.
    auto const found = [&](std::string const& query) {
        std::vector<std::string> emails;
        for (auto const& member : all_items(backend, "/v1/members?" + query, 1))
            if (text(member, "email") != owner.email) emails.push_back(text(member, "email"));
        std::ranges::sort(emails);
        return emails;
    };
    using Emails = std::vector<std::string>;
    CHECK(found("email=ann@ONE.example") == Emails{"Ann@one.example"});
    CHECK(found("email=ann@one.exampl").empty());
    CHECK(found("q=ONE.ex") == Emails{"Ann@one.example", "ben@one.example"});
    CHECK(found("q=%25").empty()); // text, not a pattern
    CHECK(found("q=_n").empty());
    CHECK(found("role=admin") == Emails{"ben@one.example", "cy@two.example"});
    CHECK(found("status=disabled") == Emails{"dee@two.example"});
    CHECK(found("status=invited&role=admin&q=two") == Emails{"cy@two.example"});
    CHECK(found("status=active") == Emails{"Ann@one.example", "ben@one.example"});
    CHECK(found("").size() == 4);

    // A cursor works only with the filters of its list.
    auto const page = backend.get("/v1/members?q=example&limit=1").json();
    auto const cursor = text(page, "cursor");
    CHECK(backend.get("/v1/members?q=example&limit=1&cursor=" + cursor).status == 200);
    for (auto const* other :
        {"", "q=examples&", "q=example&role=user&", "q=example&status=active&", "email=example&"})
        CHECK(outcome(backend.get(std::string("/v1/members?") + other + "cursor=" + cursor)) ==
              "400 VALIDATION_ERROR");
    for (auto const* wrong : {"role=king", "status=gone", "email=", "q="})
        CHECK(outcome(backend.get(std::string("/v1/members?") + wrong)) == "400 VALIDATION_ERROR");

    CHECK(world.as_master().get("/v1/members?role=owner").json().at("items").as_array().size() == 1);
    CHECK(world.as(world.new_member(owner, "admin")).get("/v1/members").status == 200);
    CHECK(world.as(world.new_account()).get("/v1/members").status == 403);
}

TEST_CASE("one member is read with an ETag that guards a change", "[members]")
{
    World const world;
    auto backend = world.with(world.new_key());
    auto const ada = world.new_account();
    auto const path = "/v1/members/" + ada.user_id;
    auto const got = backend.get(path);
    REQUIRE(got.status == 200);
    CHECK(got.json() == world.as(ada).get("/v1/auth/me").json());
    CHECK(text(got.json(), "status") == "active");
    CHECK_FALSE(got.json().at("emailVerified").as_bool());
    CHECK_FALSE(text(got.json(), "createdAt").empty());
    CHECK(got.body.find("argon2") == std::string::npos);
    auto const seen = got.header("etag");
    REQUIRE_FALSE(seen.empty());
    world.verify_email(ada);
    CHECK(backend.get(path).header("etag") != seen);
    CHECK(outcome(backend.patch(path, R"({"role":"admin"})", {{"If-Match", seen}})) ==
          "412 PRECONDITION_FAILED");
    CHECK(
        backend.patch(path, R"({"role":"admin"})", {{"If-Match", backend.get(path).header("etag")}}).status ==
        200);
    CHECK(backend.get("/v1/members/0190a5d2-0000-7000-8000-0000000000ff").status == 404);
    CHECK(backend.get("/v1/members/nobody").status == 404);
    CHECK(world.as(world.new_account()).get(path).status == 403);
}

TEST_CASE("keys and admins cannot make, change or sign out an owner", "[members]")
{
    World const world;
    auto const owner = world.new_owner();
    auto const admin = world.new_member(owner, "admin");
    auto const user = world.new_account();
    world.verify_email(user);
    auto const theirs = "/v1/members/" + owner.user_id, member = "/v1/members/" + user.user_id;
    auto backend = world.with(world.new_key()), as_admin = world.as(admin);
    json::object const new_owner{{"email", World::new_email()}, {"role", "owner"}, {"emailVerified", true}};
    json::object const new_user{{"email", World::new_email()}};

    CHECK(outcome(backend.post("/v1/members", body(new_owner))) == "403 FORBIDDEN");
    CHECK(outcome(backend.patch(member, R"({"role":"owner"})")) == "403 FORBIDDEN");
    for (auto* caller : {&backend, &as_admin}) {
        CHECK(outcome(caller->patch(theirs, R"({"role":"user"})")) == "403 FORBIDDEN");
        CHECK(outcome(caller->patch(theirs, R"({"status":"disabled"})")) == "403 FORBIDDEN");
        CHECK(outcome(caller->del(theirs + "/sessions")) == "403 FORBIDDEN");
        CHECK(outcome(caller->del(theirs + "/mfa")) == "403 FORBIDDEN");
    }
    // An admin reads members and resets their factors, but does not change them.
    CHECK(outcome(as_admin.post("/v1/members", body(new_user))) == "403 FORBIDDEN");
    CHECK(outcome(as_admin.patch(member, R"({"role":"admin"})")) == "403 FORBIDDEN");
    CHECK(outcome(as_admin.del(member + "/sessions")) == "403 FORBIDDEN");
    CHECK(as_admin.del(member + "/mfa").status == 200);

    CHECK(backend.post("/v1/members", body(new_user)).status == 201);
    CHECK(backend.patch(member, R"({"role":"admin"})").status == 200);
    CHECK(backend.del(member + "/mfa").status == 200);
    CHECK(world.as(owner).get("/v1/auth/me").status == 200);
    CHECK(world.as(owner).post("/v1/members", body(new_owner)).status == 201);
    CHECK(world.as_master().patch(member, R"({"role":"owner"})").status == 200);
}

TEST_CASE("a promotion needs a verified email", "[members]")
{
    World const world;
    auto const user = world.new_account();
    auto const path = "/v1/members/" + user.user_id;
    auto owner = world.as(world.new_owner()), backend = world.with(world.new_key());
    CHECK(outcome(owner.patch(path, R"({"role":"owner"})")) == "409 EMAIL_NOT_VERIFIED");
    CHECK(outcome(owner.patch(path, R"({"role":"admin"})")) == "409 EMAIL_NOT_VERIFIED");
    CHECK(outcome(backend.patch(path, R"({"role":"admin"})")) == "409 EMAIL_NOT_VERIFIED");
    // Neither of two changes is made if one is refused.
    CHECK(
        outcome(backend.patch(path, R"({"role":"admin","status":"disabled"})")) == "409 EMAIL_NOT_VERIFIED");
    CHECK(owner.patch(path, R"({"role":"user"})").status == 200);
    CHECK(text(owner.get(path).json(), "status") == "active");
    world.verify_email(user);
    CHECK(owner.patch(path, R"({"role":"owner"})").status == 200);
}

TEST_CASE("the last active owner can be neither demoted nor disabled", "[members]")
{
    World const world;
    auto const owner = world.new_owner("demo"), other = world.new_owner("demo");
    auto master = world.as_master("demo"), as_owner = world.as(owner);
    auto const path = "/v1/members/" + owner.user_id, others = "/v1/members/" + other.user_id;
    REQUIRE(as_owner.patch(others, R"({"status":"disabled"})").status == 200);
    for (auto* caller : {&as_owner, &master}) {
        for (auto const* change :
            {R"({"role":"admin"})", R"({"status":"disabled"})", R"({"role":"user","status":"disabled"})"})
            CHECK(outcome(caller->patch(path, change)) == "409 CONFLICT");
    }
    CHECK(text(master.get(path).json(), "role") == "owner");
    REQUIRE(as_owner.patch(others, R"({"status":"active"})").status == 200);
    CHECK(master.patch(path, R"({"status":"disabled"})").status == 200);
    CHECK(outcome(master.patch(others, R"({"role":"admin"})")) == "409 CONFLICT");
}

TEST_CASE("an owner who is demoted at the same time promotes a member only before the demotion", "[members]")
{
    World const world;
    auto const owner = world.new_owner(), former = world.new_owner();
    auto const user = world.new_account();
    world.verify_email(user);
    auto as_owner = world.as(owner), as_former = world.as(former);
    auto const member = "/v1/members/" + user.user_id, theirs = "/v1/members/" + former.user_id;
    for (int round = 0; round < 5; ++round) {
        std::array<testing::HttpResponse, 2> answers;
        at_once(2, [&](int i) {
            auto& answer = answers[static_cast<std::size_t>(i)];
            answer = i == 0 ? as_owner.patch(theirs, R"({"role":"user"})")
                            : as_former.patch(member, R"({"role":"admin"})");
            return answer;
        });
        INFO("round " << round);
        CHECK(answers[0].status == 200);
        bool const promoted = answers[1].status == 200;
        CHECK((promoted || outcome(answers[1]) == "403 FORBIDDEN"));
        CHECK(text(as_owner.get(member).json(), "role") == (promoted ? "admin" : "user"));
        REQUIRE(as_owner.patch(theirs, R"({"role":"owner"})").status == 200);
        REQUIRE(as_owner.patch(member, R"({"role":"user"})").status == 200);
    }
}

TEST_CASE("a disabled user has no session, and learns about it only with the right password", "[members]")
{
    World const world;
    auto const ada = world.new_account_with_totp();
    auto const path = "/v1/members/" + ada.user_id;
    auto backend = world.with(world.new_key());
    auto const open = world.challenged(ada);
    auto const disabled = backend.patch(path, R"({"status":"disabled"})");
    REQUIRE(disabled.status == 200);
    CHECK(text(disabled.json(), "status") == "disabled");
    CHECK(outcome(world.as(ada).get("/v1/auth/me")) == "401 UNAUTHORIZED");
    CHECK(outcome(world.client().post("/v1/auth/refresh", body({{"refreshToken", ada.refresh_token}}))) ==
          "401 UNAUTHORIZED");
    CHECK(outcome(world.verify(open, "totp", world.totp_code(ada, 1))) == expired);
    CHECK(outcome(world.login(ada)) == "403 ACCOUNT_DISABLED");
    auto guess = ada;
    guess.password = "not the password";
    CHECK(outcome(world.login(guess)) == "401 INVALID_CREDENTIALS");
    CHECK(outcome(backend.patch(path, R"({"status":"invited"})")) == "400 VALIDATION_ERROR");

    REQUIRE(backend.patch(path, R"({"status":"active"})").status == 200);
    CHECK(outcome(world.login(guess)) == "401 INVALID_CREDENTIALS");
    CHECK(world.verify(world.challenged(ada), "totp", world.totp_code(ada, 1)).status == 200);
    CHECK(outcome(world.as(ada).get("/v1/auth/me")) == "401 UNAUTHORIZED"); // ended sessions stay ended
}

TEST_CASE("all sessions and sign-ins in progress of a member are ended", "[members]")
{
    World const world;
    auto const ada = world.new_account_with_totp();
    auto const open = world.challenged(ada);
    auto backend = world.with(world.new_key());
    auto const bob = world.new_account();
    CHECK(backend.del("/v1/members/" + ada.user_id + "/sessions").body == R"({"deleted":true})");
    CHECK(outcome(world.as(ada).get("/v1/auth/me")) == "401 UNAUTHORIZED");
    CHECK(outcome(world.client().post("/v1/auth/refresh", body({{"refreshToken", ada.refresh_token}}))) ==
          "401 UNAUTHORIZED");
    CHECK(outcome(world.verify(open, "totp", world.totp_code(ada, 1))) == expired);
    CHECK(world.as(bob).get("/v1/auth/me").status == 200);
    CHECK(world.verify(world.challenged(ada), "totp", world.totp_code(ada, 1)).status == 200);
    CHECK(backend.del("/v1/members/0190a5d2-0000-7000-8000-0000000000ff/sessions").status == 404);
}
