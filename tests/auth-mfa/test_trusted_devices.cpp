#include "factors.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

TEST_CASE("a trusted device skips the second factor for 30 days", "[devices]")
{
    World const world;
    auto ada = world.new_account_with_sms();
    auto const passed = world.verify(world.challenged(ada), "sms", world.code_sent_to(ada.phone), true);
    REQUIRE(passed.status == 200);
    auto const& set_cookie = passed.header("set-cookie");
    for (auto const* attribute : {"HttpOnly", "SameSite=Lax", "Path=/", "Max-Age=2592000"})
        CHECK(set_cookie.find(attribute) != std::string::npos);
    CHECK(set_cookie.find("Secure") == std::string::npos); // under localhost
    auto device = world.client();
    device.set("Cookie", "other=1; " + device_cookie_of(passed) + "; more=2");
    CHECK(world.login(ada, device).status == 200);
    CHECK(world.login(ada).status == 403);

    SECTION("it is trusted for exactly 30 days")
    {
        world.clock.advance(std::chrono::days(30) - 1ms);
        CHECK(world.login(ada, device).status == 200);
        world.clock.advance(1ms);
        CHECK(world.login(ada, device).status == 403);
    }
    SECTION("it is not trusted in another scope, for another user or with another secret")
    {
        auto const bob = world.new_account_with_sms();
        CHECK(world.login(bob, device).status == 403);
        auto forged = device_cookie_of(passed);
        forged.back() = forged.back() == 'A' ? 'B' : 'A';
        forged[forged.size() - 3] = forged[forged.size() - 3] == 'A' ? 'B' : 'A';
        device.set("Cookie", forged);
        CHECK(world.login(ada, device).status == 403);
        for (auto const* nonsense : {"mfa_device=", "mfa_device=x", "mfa_device=x.y", "mfa_device=a.b.c"}) {
            device.set("Cookie", nonsense);
            CHECK(world.login(ada, device).status == 403);
        }
        auto elsewhere = ada;
        elsewhere.tenant = "demo";
        elsewhere.recovery_codes.clear();
        REQUIRE(world.client("demo")
                    .post("/v1/auth/register", body({{"email", ada.email}, {"password", ada.password}}))
                    .status == 201);
        auto there = world.login(elsewhere);
        REQUIRE(there.status == 200);
        elsewhere.take(there);
        world.enrol_sms(elsewhere);
        auto at_production = world.client("demo");
        at_production.set("Cookie", device_cookie_of(passed));
        CHECK(world.login(elsewhere, at_production).status == 403);
    }
    SECTION("several users can trust the same browser, and each new trust changes the cookie")
    {
        auto const bob = world.new_account_with_sms();
        auto const his = text(world.login(bob, device).json(), "mfa_token");
        auto const also = device.post(
            "/v1/auth/mfa/verify", body({{"mfa_token", his}, {"method", "sms"},
                                       {"code", world.code_sent_to(bob.phone)}, {"trustDevice", true}}));
        REQUIRE(also.status == 200);
        CHECK(device_cookie_of(also) != device_cookie_of(passed));
        CHECK(world.login(ada, device).status == 403); // the old value is no longer valid
        device.set("Cookie", device_cookie_of(also));
        CHECK(world.login(ada, device).status == 200);
        CHECK(world.login(bob, device).status == 200);
        // Disabling Ada's factor ends her trust, not Bob's.
        REQUIRE(world.as(ada)
                    .request("DELETE", "/v1/auth/mfa/sms", {}, code_body(ada.recovery_codes[0]))
                    .status == 200);
        ada.recovery_codes.clear();
        world.enrol_sms(ada, ada.phone);
        CHECK(world.login(ada, device).status == 403);
        CHECK(world.login(bob, device).status == 200);
    }
    SECTION("a device is listed and revoked")
    {
        auto caller = world.as(ada);
        auto const devices = all_items(caller, "/v1/auth/mfa/devices");
        REQUIRE(devices.size() == 1);
        CHECK(boost::json::serialize(devices).find(device_cookie_of(passed).substr(60)) == std::string::npos);
        auto const path = "/v1/auth/mfa/devices/" + text(devices[0], "deviceId");
        CHECK(world.as(world.new_account()).del(path).status == 404);
        CHECK(caller.del(path).body == R"({"deleted":true})");
        CHECK(caller.del(path).status == 404);
        CHECK(world.login(ada, device).status == 403);
    }
    SECTION("all devices are revoked at once")
    {
        CHECK(world.as(ada).del("/v1/auth/mfa/devices").status == 200);
        CHECK(world.login(ada, device).status == 403);
    }
}

TEST_CASE("the cookie is Secure on a host that is not local", "[devices]")
{
    World const world({.base_host = "auth.example.com"});
    auto const ada = world.new_account_with_sms();
    auto const passed = world.verify(world.challenged(ada), "sms", world.code_sent_to(ada.phone), true);
    CHECK(passed.header("set-cookie").find("; Secure") != std::string::npos);
}

TEST_CASE(
    "another factor ends the other sessions and trusted devices, the first factor does not", "[devices]")
{
    World const world;
    auto ada = world.new_account(), elsewhere = ada;
    elsewhere.take(world.login(ada));
    auto const is_open = [&](Account const& account) {
        return world.as(account).get("/v1/auth/me").status == 200;
    };
    world.enrol_totp(ada);
    CHECK(is_open(elsewhere));

    auto const trusting = world.verify(world.challenged(ada), "totp", world.totp_code(ada, 1), true);
    REQUIRE(trusting.status == 200);
    auto device = world.client();
    device.set("Cookie", device_cookie_of(trusting));
    CHECK(world.login(ada, device).status == 200);
    world.clock.advance(30s); // the code of the next step was used above
    world.enrol_sms(ada);
    CHECK(is_open(ada));
    CHECK_FALSE(is_open(elsewhere));
    CHECK(world.client().post("/v1/auth/refresh", body({{"refreshToken", elsewhere.refresh_token}})).status ==
          401);
    CHECK(world.with(text(trusting.json(), "accessToken")).get("/v1/auth/me").status == 401);
    CHECK(outcome(world.login(ada, device)) == "403 mfa_required");
    CHECK(world.as(ada).get("/v1/auth/mfa/devices").json().at("items").as_array().empty());
}
