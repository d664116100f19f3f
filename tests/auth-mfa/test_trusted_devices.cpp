#include "factors.hpp"
#include "support/eventually.hpp"
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

TEST_CASE("the cookie for a page of another site is sent by browsers to that site's requests", "[devices]")
{
    std::string const host = GENERATE("auth.example.com", "auth.localhost");
    INFO(host);
    World const world({.base_host = host});
    std::vector<std::string> const allowed{
        "https://shop.example", "https://app." + host, "http://shop.example"};
    boost::json::array origins(allowed.begin(), allowed.end());
    REQUIRE(world.as_master().patch("/v1/settings", body({{"allowedOrigins", origins}})).status == 200);
    auto const ada = world.new_account_with_sms();
    auto const trusted_from = [&](char const* origin) {
        auto page = world.client();
        page.set("Origin", origin);
        return page.post(
            "/v1/auth/mfa/verify", body({{"mfa_token", world.challenged(ada)}, {"method", "sms"},
                                       {"code", world.code_sent_to(ada.phone)}, {"trustDevice", true}}));
    };
    auto const ends_with = [](testing::HttpResponse const& r, std::string_view attributes) {
        REQUIRE(r.status == 200);
        return r.header("set-cookie").ends_with(attributes);
    };
    REQUIRE(testing::eventually([&] { // until the service uses the settings
        return !world.client()
                    .get("/pages.css", {{"Origin", "https://shop.example"}})
                    .header("access-control-allow-origin")
                    .empty();
    }));
    auto const other_site = trusted_from("https://shop.example");
    CHECK(ends_with(other_site, "; HttpOnly; SameSite=None; Secure; Partitioned"));
    CHECK(other_site.header("access-control-allow-origin") == "https://shop.example");
    CHECK(other_site.header("access-control-allow-credentials") == "true");
    CHECK_THAT(other_site.header("vary"), Catch::Contains("Origin"));
    std::string const lax =
        host == "auth.localhost" ? "; HttpOnly; SameSite=Lax" : "; HttpOnly; SameSite=Lax; Secure";
    CHECK(ends_with(trusted_from(("https://app." + host).c_str()), lax));
    CHECK(ends_with(trusted_from("http://shop.example"), lax));
    CHECK(ends_with(trusted_from("https://evil.example"), lax)); // not allowed
    CHECK(ends_with(trusted_from("null"), lax));

    auto browser = world.client();
    browser.set("Cookie", device_cookie_of(other_site));
    browser.set("Origin", "https://shop.example");
    CHECK(world.login(ada, browser).status == 200);
}

TEST_CASE("guesses from other browsers do not use up the limits of a trusted browser", "[devices]")
{
    World world;
    auto const ada = world.new_account_with_totp();
    auto const trusting = world.verify(world.challenged(ada), "totp", world.totp_code(ada, 1), true);
    REQUIRE(trusting.status == 200);
    auto const cookie = device_cookie_of(trusting);
    world.one_network = true;
    auto const browser = [&](std::string const& sent) {
        auto client = world.with(text(trusting.json(), "accessToken"));
        if (!sent.empty()) client.set("Cookie", sent);
        return client;
    };
    auto const sign_in = [&](std::string const& password, std::string const& sent) {
        return browser(sent).post("/v1/auth/login", credentials(ada.email, password)).status;
    };
    auto const prove = [&](boost::json::object const& proof, std::string const& sent) {
        return browser(sent).post("/v1/auth/reauthenticate", body(proof)).status;
    };
    auto const code = [](std::string const& method, std::string const& value) {
        return boost::json::object{{"method", method}, {"code", value}};
    };
    std::string forged = cookie;
    forged[forged.size() - 3] = forged[forged.size() - 3] == 'A' ? 'B' : 'A';
    auto const of_bob = [&] {
        auto const bob = world.new_account_with_totp();
        return device_cookie_of(world.verify(world.challenged(bob), "totp", world.totp_code(bob, 1), true));
    };

    SECTION("passwords")
    {
        // A forged cookie and a cookie for another account bring no limits of their own.
        std::vector<std::string> const others{"", forged, of_bob()};
        for (std::size_t i = 0; i < 10; ++i)
            CHECK(sign_in("guess", others[i % others.size()]) == 401);
        for (auto const& other : others)
            CHECK(sign_in(ada.password, other) == 429);
        CHECK(sign_in(ada.password, cookie) == 200);
        CHECK(prove({{"password", ada.password}}, cookie) == 200);
        for (int i = 0; i < 5; ++i) {
            CHECK(sign_in("guess", cookie) == 401);
            CHECK(prove({{"password", "guess"}}, cookie) == 401);
        }
        CHECK(sign_in(ada.password, cookie) == 429);
        CHECK(prove({{"password", ada.password}}, cookie) == 429);
        world.one_network = false;
        CHECK(sign_in(ada.password, cookie) == 429); // the limit is the same in all networks
        CHECK(sign_in(ada.password, "") == 403);     // another network: mfa_required
    }
    SECTION("passwords for other accounts from the browser's network")
    {
        auto guesser = world.client();
        for (int i = 0; i < 100; ++i)
            CHECK(guesser.post("/v1/auth/login", credentials(World::new_email(), "guess")).status == 401);
        CHECK(world.login(ada, guesser).status == 429);
        guesser.set("Cookie", cookie);
        CHECK(world.login(ada, guesser).status == 200);
        CHECK(guesser.post("/v1/auth/login", credentials(World::new_email(), "guess")).status == 429);
    }
    SECTION("codes and recovery codes")
    {
        world.clock.advance(30s);
        auto const right = world.totp_code(ada, 1);
        for (int i = 0; i < 20; ++i)
            CHECK(prove(code("totp", other_code(right)), i % 2 == 0 ? "" : forged) == 400);
        CHECK(prove(code("totp", right), "") == 429);
        CHECK(prove(code("totp", right), cookie) == 200);
        for (int i = 0; i < 10; ++i)
            CHECK(prove(code("recovery_code", "0000-0000-0000-0000"), i % 2 == 0 ? "" : forged) == 400);
        CHECK(prove(code("recovery_code", ada.recovery_codes[0]), "") == 429);
        CHECK(prove(code("recovery_code", ada.recovery_codes[0]), cookie) == 200);
    }
    SECTION("current passwords")
    {
        auto const change = [&](std::string const& current, std::string const& sent) {
            return browser(sent)
                .post("/v1/auth/password",
                    body({{"currentPassword", current}, {"newPassword", "another good password"}}))
                .status;
        };
        for (int i = 0; i < 10; ++i)
            CHECK(change("guess", i % 2 == 0 ? "" : forged) == 401);
        CHECK(change(ada.password, "") == 429);
        CHECK(change(ada.password, cookie) == 200);
    }
    SECTION("a browser that is no longer trusted has no limit of its own")
    {
        REQUIRE(world.as_master().del("/v1/members/" + ada.user_id + "/mfa").status == 200);
        for (int i = 0; i < 10; ++i)
            CHECK(sign_in("guess", "") == 401);
        CHECK(sign_in(ada.password, cookie) == 429);
    }
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
