#include "factors.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

namespace {

testing::HttpResponse refresh(
    World const& world, std::string const& token, std::string const& tenant = "demo-sandbox")
{
    return world.client(tenant).post("/v1/auth/refresh", body({{"refreshToken", token}}));
}

} // namespace

TEST_CASE("a refresh token works once", "[sessions]")
{
    World const world;
    auto const ada = world.new_account();
    world.clock.advance(1h);
    auto const first = refresh(world, ada.refresh_token);
    REQUIRE(first.status == 200);
    auto const fresh = first.json();
    CHECK(fresh.at("expiresIn") == 900);
    CHECK(text(fresh, "refreshToken") != ada.refresh_token);
    auto const before = claims_of(ada.access_token), after = claims_of(text(fresh, "accessToken"));
    CHECK(before.at("sid") == after.at("sid"));
    CHECK(before.at("jti") != after.at("jti"));
    CHECK(boost::json::serialize(after.at("amr")) == R"(["pwd"])");
    CHECK(world.with(text(fresh, "accessToken")).get("/v1/auth/me").status == 200);

    SECTION("reuse within 10 s is a retry")
    {
        world.clock.advance(10s);
        auto const retry = refresh(world, ada.refresh_token);
        REQUIRE(retry.status == 200);
        CHECK(claims_of(text(retry.json(), "accessToken")).at("sid") == before.at("sid"));
        CHECK(refresh(world, text(retry.json(), "refreshToken")).status == 200);
    }
    SECTION("later reuse ends the session")
    {
        world.clock.advance(10s + 1ms);
        auto const r = refresh(world, ada.refresh_token);
        CHECK(r.status == 401);
        CHECK(error_of(r) == "UNAUTHORIZED");
        CHECK(refresh(world, text(fresh, "refreshToken")).status == 401);
        CHECK(world.with(text(fresh, "accessToken")).get("/v1/auth/me").status == 401);
    }
    SECTION("reuse of an older token ends the session, even within 10 s")
    {
        auto const second = refresh(world, text(fresh, "refreshToken"));
        REQUIRE(second.status == 200);
        CHECK(refresh(world, ada.refresh_token).status == 401);
        CHECK(refresh(world, text(second.json(), "refreshToken")).status == 401);
    }
}

TEST_CASE("a replica whose clock is ahead answers a retried refresh", "[sessions]")
{
    World const world;
    testing::free_database(world.postgres);
    auto const ada = world.new_account();
    REQUIRE(refresh(world, ada.refresh_token).status == 200);
    world.clock.advance(60s); // the service's clock, not the database's
    CHECK(refresh(world, ada.refresh_token).status == 200);
}

TEST_CASE("a refresh token is valid for 30 days, and each use starts a new period", "[sessions]")
{
    World const world;
    auto ada = world.new_account();
    world.clock.advance(std::chrono::days(30) - 1ms);
    auto const in_time = refresh(world, ada.refresh_token);
    REQUIRE(in_time.status == 200);
    ada.take(in_time);
    world.clock.advance(std::chrono::days(30) - 1ms);
    auto const again = refresh(world, ada.refresh_token);
    REQUIRE(again.status == 200);
    world.clock.advance(std::chrono::days(30));
    CHECK(refresh(world, text(again.json(), "refreshToken")).status == 401);
}

TEST_CASE("every token except a refresh token of this scope is refused", "[sessions]")
{
    World const world;
    auto const ada = world.new_account();
    for (auto const* elsewhere : {"demo", "other-sandbox"})
        CHECK(refresh(world, ada.refresh_token, elsewhere).status == 401);
    auto altered = ada.refresh_token;
    altered[5] = altered[5] == 'A' ? 'B' : 'A';
    for (auto const& token : {altered, ada.access_token, std::string("x"), std::string(400, 'A')})
        CHECK(refresh(world, token).status == 401);
    CHECK(refresh(world, "").status == 400);
    CHECK(world.client().post("/v1/auth/refresh", "{}").status == 400);
    CHECK(refresh(world, ada.refresh_token).status == 200); // no refused request ended the session
    CHECK(world.with(ada.refresh_token).get("/v1/auth/me").status == 401);
}

TEST_CASE("an access token becomes invalid when it expires or when its session ends", "[sessions]")
{
    World const world;
    auto const ada = world.new_account();
    auto caller = world.as(ada);
    SECTION("at its expiry, with 30 s of clock skew")
    {
        world.clock.advance(929s);
        CHECK(caller.get("/v1/auth/me").status == 200);
        world.clock.advance(1s);
        auto const r = caller.get("/v1/auth/me");
        CHECK(r.status == 401);
        CHECK(r.header("www-authenticate").starts_with("Bearer"));
    }
    SECTION("at logout")
    {
        auto const r = world.client().post("/v1/auth/logout", body({{"refreshToken", ada.refresh_token}}));
        CHECK(r.status == 200);
        CHECK(caller.get("/v1/auth/me").status == 401);
        CHECK(refresh(world, ada.refresh_token).status == 401);
    }
}

TEST_CASE("sessions are listed, and can be ended one by one or together", "[sessions]")
{
    World const world;
    auto ada = world.new_account();
    std::vector<Account> elsewhere(3, ada);
    for (auto& device : elsewhere) {
        world.clock.advance(1s);
        device.take(world.login(ada));
    }
    auto caller = world.as(ada);
    auto const sessions = all_items(caller, "/v1/auth/sessions", 2);
    REQUIRE(sessions.size() == 4);
    CHECK(text(sessions[0], "sessionId") == text(claims_of(elsewhere[2].access_token), "sid"));
    auto const current = std::count_if(sessions.begin(), sessions.end(),
        [](boost::json::value const& s) { return s.at("current").as_bool(); });
    CHECK(current == 1);
    CHECK(sessions[3].at("current").as_bool());

    auto const path = "/v1/auth/sessions/" + text(claims_of(elsewhere[0].access_token), "sid");
    CHECK(caller.del(path).body == R"({"deleted":true})");
    CHECK(caller.del(path).status == 404);
    CHECK(caller.del("/v1/auth/sessions/nothing").status == 404);
    CHECK(world.as(elsewhere[0]).get("/v1/auth/me").status == 401);
    CHECK(refresh(world, elsewhere[0].refresh_token).status == 401);
    CHECK(world.as(elsewhere[1]).get("/v1/auth/me").status == 200);
    CHECK(all_items(caller, "/v1/auth/sessions").size() == 3);
    CHECK(caller.get("/v1/auth/sessions?limit=0").status == 400);

    auto const bob = world.new_account();
    CHECK(caller.del("/v1/auth/sessions").body == R"({"deleted":true})");
    auto const left = all_items(caller, "/v1/auth/sessions");
    REQUIRE(left.size() == 1);
    CHECK(left[0].at("current").as_bool());
    CHECK(world.as(elsewhere[1]).get("/v1/auth/me").status == 401);
    CHECK(world.as(bob).get("/v1/auth/me").status == 200);
    CHECK(world.as(elsewhere[1]).del("/v1/auth/sessions").status == 401);
}

TEST_CASE("a change of password ends all other sessions and all trusted devices", "[sessions]")
{
    World const world;
    auto ada = world.new_account_with_totp();
    auto const trusting = world.verify(world.challenged(ada), "totp", world.totp_code(ada, 1), true);
    REQUIRE(trusting.status == 200);
    auto device = world.client();
    device.set("Cookie", device_cookie_of(trusting));
    auto elsewhere = ada;
    auto const trusted = world.login(ada, device);
    REQUIRE(trusted.status == 200);
    elsewhere.take(trusted);

    auto caller = world.as(ada);
    auto const change = [&](std::string const& now, std::string const& then) {
        return caller.post("/v1/auth/password", body({{"currentPassword", now}, {"newPassword", then}}));
    };
    auto const wrong = change("not the password", "another good one");
    CHECK(wrong.status == 401);
    CHECK(error_of(wrong) == "INVALID_CREDENTIALS");
    CHECK(change(ada.password, "short").status == 400);
    CHECK(change(ada.password, "password").status == 400);
    CHECK(world.as(elsewhere).get("/v1/auth/me").status == 200);

    REQUIRE(change(ada.password, "another good one").status == 200);
    CHECK(caller.get("/v1/auth/me").status == 200);
    CHECK(world.as(elsewhere).get("/v1/auth/me").status == 401);
    CHECK(refresh(world, elsewhere.refresh_token).status == 401);
    CHECK(world.login(ada).status == 401);
    ada.password = "another good one";
    auto const asked = world.login(ada, device);
    CHECK(asked.status == 403);
    CHECK(error_of(asked) == "mfa_required");
    CHECK(caller.get("/v1/auth/mfa/devices").json().at("items").as_array().empty());
}

TEST_CASE("a challenge that began before a change of password opens no session", "[sessions]")
{
    World const world;
    auto const ada = world.new_account_with_totp();
    auto const open = world.challenged(ada);
    REQUIRE(world.as(ada)
                .post("/v1/auth/password",
                    body({{"currentPassword", ada.password}, {"newPassword", "another good one"}}))
                .status == 200);
    CHECK(outcome(world.verify(open, "totp", world.totp_code(ada, 1))) == expired);
}
