#include "account_browser.hpp"
#include "factors.hpp"
#include "identity_provider.hpp"
#include "passkeys.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <regex>

// The pages that need a proof of the user: a recent authentication, or a code.

namespace json = boost::json;

TEST_CASE("an old authentication is repeated before the page that needs it", "[pages]")
{
    World const world;
    auto const ada = world.new_account();
    auto client = browser_of(world, ada);
    auto const early = client.get("/account/email");
    auto const old = session_of(client);
    world.clock.advance(too_long);
    for (auto const* path : {"/account/email", "/account/delete", "/account/codes"}) {
        INFO(path);
        CHECK(client.get_raw(path).location == std::string("/account/confirm?next=") + path);
    }
    auto page = client.submit(early, "/account/email", {{"newEmail", World::new_email()}});
    REQUIRE(page.location == "/account/confirm?next=/account/email");
    CHECK(page.title == "Confirm that it is you");

    page = client.submit(page, "/account/confirm", {{"password", "wrong one"}});
    CHECK(page.status == 401);
    CHECK(page.error.at("password") == "This does not match your account. Check it and try again.");
    CHECK(session_of(client) == old);
    page = client.submit(page, "/account/confirm", {{"password", ada.password}});
    CHECK(page.status == 200);
    CHECK(page.location == "/account/email");
    CHECK(session_of(client) != old);
    PageClient copy(world);
    copy.cookies["__Host-session"] = old;
    CHECK(copy.get("/account").location == "/login?next=/account");

    // Without a page to return to, or with another site's, the account's page follows.
    for (auto const* next : {"", "https://example.com/", "//example.com", "/account/confirm"}) {
        INFO(next);
        page = client.fill_in(
            std::string("/account/confirm?next=") + next, {{"password", ada.password}, {"next", next}});
        CHECK(page.location == "/account?notice=confirmed");
        CHECK(page.notice == "Thank you. You can now continue.");
    }
}

TEST_CASE("each second factor proves who a signed-in user is", "[pages]")
{
    World const world;
    auto ada = world.new_account_with_totp();
    world.enrol_sms(ada);
    auto phone = new_phone_with_passkeys();
    register_passkey(world, ada, phone);
    auto client = browser_of(world, ada, "recovery_code", ada.recovery_codes.at(0));
    auto const start = [&](std::string const& method) {
        world.clock.advance(too_long);
        auto page = client.get("/account/codes");
        CHECK(page.location == "/account/confirm?next=/account/codes");
        CHECK(page.says("Passkey")); // among the other methods
        page = client.get("/account/confirm?method=" + method + "&next=/account/codes");
        CHECK(page.status == 200);
        return page;
    };

    auto page = start("totp");
    page = client.submit(page, "/account/confirm", {{"code", other_code(world.totp_code(ada))}});
    CHECK(page.status == 400);
    CHECK(page.error.at("code") == "This code is wrong. Check it and try again.");
    page = client.submit(page, "/account/confirm", {{"code", world.totp_code(ada)}});
    CHECK(page.location == "/account/codes");

    page = client.submit(start("sms"), "/account/confirm/send", {});
    CHECK(page.location == "/account/confirm?method=sms&sent=1&next=/account/codes");
    auto const code = world.code_sent_to(ada.phone);
    page = client.submit(page, "/account/confirm", {{"code", other_code(code)}});
    CHECK(page.error.at("code") == "This code is wrong. Check it and try again.");
    page = client.submit(page, "/account/confirm", {{"code", code}});
    CHECK(page.location == "/account/codes");

    page = client.submit(start("recovery_code"), "/account/confirm", {{"code", ada.recovery_codes.at(2)}});
    CHECK(page.location == "/account/codes");

    page = client.submit(start("password"), "/account/confirm", {{"password", ada.password}});
    CHECK(page.location == "/account/codes"); // the session has proved a second factor before

    page = start("passkey");
    auto const assertion = json::serialize(phone.get(request_options(world.client(), json::object())));
    page = client.submit(page, "/account/confirm", {{"credential", "nothing"}});
    CHECK(page.status == 400);
    page = client.submit(page, "/account/confirm", {{"credential", assertion}});
    CHECK(page.location == "/account/codes");
}

TEST_CASE("a session without the second factor must prove it", "[pages]")
{
    World const world;
    auto ada = world.new_account();
    auto client = browser_of(world, ada);
    world.enrol_totp(ada);
    auto page = client.get("/account/email");
    CHECK(page.location == "/account/confirm?next=/account/email");
    CHECK_FALSE(page.links_to("/account/confirm?method=password&next=/account/email"));
    page = client.submit(page, "/account/confirm", {{"code", world.totp_code(ada, 1)}});
    CHECK(page.location == "/account/email");
}

TEST_CASE("a user removes factors with a code", "[pages]")
{
    World const world;
    auto ada = world.new_account_with_totp();
    world.enrol_sms(ada);
    auto client = browser_of(world, ada, "recovery_code", ada.recovery_codes.at(0));
    std::string const sms = "/account/factor/sms/remove", totp = "/account/factor/totp/remove";
    auto page = client.fill_in(sms, {{"code", "000000"}});
    CHECK(page.status == 400);
    CHECK(page.error.at("code") == "This code is wrong. Check it and try again.");
    CHECK(page.says("Code by SMS"));
    page = client.submit(page, sms, {{"code", ada.recovery_codes.at(1)}});
    CHECK(page.notice == "It was removed. Your other browsers and apps are signed out.");
    CHECK_FALSE(page.links_to(sms));
    CHECK(client.get(sms).location == "/account");
    page = client.fill_in(totp, {{"code", ada.recovery_codes.at(2)}});
    CHECK_FALSE(page.links_to(totp));
    CHECK_FALSE(page.links_to("/account/codes"));
    CHECK(client.get("/account/codes").location == "/account");
    CHECK(world.login(ada).status == 200); // the password is enough again
}

TEST_CASE("new recovery codes are shown once", "[pages]")
{
    World const world;
    auto const ada = world.new_account_with_totp();
    auto client = browser_of(world, ada, "recovery_code", ada.recovery_codes.at(0));
    auto page = client.fill_in("/account/codes", {});
    CHECK(page.status == 200);
    std::regex const code("([0-9A-Z]{4}-){3}[0-9A-Z]{4}");
    std::vector<std::string> codes;
    for (std::sregex_iterator it(page.body.begin(), page.body.end(), code), end; it != end; ++it)
        codes.push_back(it->str());
    REQUIRE(codes.size() == 10);
    CHECK_FALSE(client.get("/account/codes").says(codes[0]));
    CHECK(outcome(world.verify(world.challenged(ada), "recovery_code", ada.recovery_codes.at(1))) == invalid);
    CHECK(world.verify(world.challenged(ada), "recovery_code", codes[9]).status == 200);
}

TEST_CASE("a user removes a passkey", "[pages]")
{
    World const world;
    auto ada = world.new_account();
    auto phone = new_phone_with_passkeys();
    auto const id = text(register_passkey(world, ada, phone, "Blue phone"), "passkeyId");
    auto client = browser_of(world, ada, "recovery_code", ada.recovery_codes.at(0));
    auto const path = "/account/passkeys/" + id + "/remove";
    auto page = client.get(path);
    CHECK(page.says("Passkey: Blue phone"));
    world.clock.advance(too_long);
    page = client.submit(page, path, {});
    REQUIRE(page.location == "/account/confirm?next=" + path);
    page = client.submit(client.get("/account/confirm?method=recovery_code&next=" + path), "/account/confirm",
        {{"code", ada.recovery_codes.at(1)}});
    REQUIRE(page.location == path);
    page = client.submit(page, path, {});
    CHECK(page.location == "/account?notice=factor_removed");
    CHECK_FALSE(page.says("Blue phone"));
    CHECK(client.get(path).status == 404);
}
