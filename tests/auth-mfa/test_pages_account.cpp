#include "account_browser.hpp"
#include "factors.hpp"
#include "identity_provider.hpp"
#include "passkeys.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <regex>

// The pages of a signed-in user's account.

namespace {

namespace json = boost::json;

constexpr auto unknown_id = "0190a5d2-0000-7000-8000-0000000000ff";

struct Route {
    std::string method, path;
};

/// All routes of the account's pages. `id` stands for each id.
std::vector<Route> routes(std::string const& id = unknown_id)
{
    return {{"GET", "/account"}, {"GET", "/account/activity"}, {"GET", "/account/export"},
        {"GET", "/account/password"}, {"GET", "/account/email"}, {"GET", "/account/factor/totp/remove"},
        {"GET", "/account/passkeys/" + id + "/remove"}, {"GET", "/account/codes"}, {"GET", "/account/delete"},
        {"GET", "/account/confirm"}, {"POST", "/account/verification"}, {"POST", "/account/sessions/end"},
        {"POST", "/account/sessions/" + id + "/end"}, {"POST", "/account/devices/forget"},
        {"POST", "/account/devices/" + id + "/forget"}, {"POST", "/account/identities/" + id + "/unlink"},
        {"POST", "/account/password"}, {"POST", "/account/email"}, {"POST", "/account/factor/totp/remove"},
        {"POST", "/account/passkeys/" + id + "/remove"}, {"POST", "/account/codes"},
        {"POST", "/account/delete"}, {"POST", "/account/confirm"}, {"POST", "/account/confirm/send"}};
}

HostedPage open(PageClient& client, Route const& route, std::string const& csrf)
{
    return route.method == "GET" ? client.get_raw(route.path) : client.post_raw(route.path, {{"csrf", csrf}});
}

/// The path of the first form on the page whose action matches.
std::string action_on(HostedPage const& page, std::string const& pattern)
{
    std::smatch found;
    INFO(page.body);
    REQUIRE(std::regex_search(page.body, found, std::regex("action=\"(" + pattern + ")\"")));
    return found[1];
}

bool is_live(World const& world, Account const& account)
{
    return world.as(account).get("/v1/auth/me").status == 200;
}

json::array items(World const& world, Account const& account, std::string const& path)
{
    return world.as(account).get(path).json().at("items").as_array();
}

} // namespace

TEST_CASE("pages count as requests of their user", "[pages]")
{
    World const world;
    auto const ada = world.new_account();
    auto browser = browser_of(world, ada);
    world.limit({{"requestsPerMinute", 2}});
    CHECK(browser.get_raw("/account").status == 200);
    CHECK(browser.get_raw("/account/password").status == 200);
    auto const refused = browser.get_raw("/account");
    CHECK(refused.status == 429);
    CHECK_FALSE(refused.response.header("retry-after").empty());
    CHECK(refused.says("Too many"));
    CHECK(world.as(ada).get("/v1/auth/me").status == 429);
    CHECK(browser_of(world, world.new_account()).get_raw("/account").status == 200);
}

TEST_CASE("the account's pages lead to the sign-in page without a session", "[pages]")
{
    World const world;
    PageClient client(world);
    auto const csrf = PageClient::csrf_of(client.get("/login"));
    for (auto const& route : routes()) {
        INFO(route.method << ' ' << route.path);
        auto const page = open(client, route, csrf);
        CHECK(page.status == 303);
        CHECK(page.location.starts_with("/login?next=/account"));
    }
    CHECK(client.get_raw("/account/email").location == "/login?next=/account/email");
    CHECK(client.get_raw("/account/export").location == "/login?next=/account");
    auto const passkey = std::string("/account/passkeys/") + unknown_id + "/remove";
    CHECK(client.get_raw(passkey).location == "/login?next=" + passkey);

    auto const ada = world.new_account();
    auto const page = client.submit(
        client.get("/account/password"), "/login", {{"email", ada.email}, {"password", ada.password}});
    CHECK(page.location == "/account/password");
}

TEST_CASE("each page of the account names the account, and refuses forms of other sites", "[pages]")
{
    World const world;
    auto const ada = world.new_account();
    auto client = browser_of(world, ada);
    for (auto const& route : routes()) {
        INFO(route.method << ' ' << route.path);
        if (route.method == "POST") {
            CHECK(client.post_raw(route.path, {}).status == 403);
        } else if (route.path != "/account/export") {
            auto const page = client.get_raw(route.path);
            if (page.status == 200) CHECK(page.says("Signed in as " + ada.email));
        }
    }
    CHECK(is_live(world, ada));
}

TEST_CASE("the account's page shows the account, and sends the verification email again", "[pages]")
{
    World const world;
    auto const ada = world.new_account();
    auto client = browser_of(world, ada);
    auto page = client.get("/account");
    REQUIRE(page.status == 200);
    CHECK(page.title == "Your account");
    CHECK(page.says("This address is not confirmed yet."));
    for (auto const* link : {"/account/email", "/account/password", "/account/export", "/account/delete",
             "/enroll/passkey", "/enroll/totp", "/enroll/sms", "/logout"}) {
        INFO(link);
        CHECK(page.links_to(link));
    }
    CHECK_FALSE(page.links_to("/account/codes"));
    CHECK_FALSE(page.links_to("/account/devices/forget"));

    auto const before = world.mails_to(ada.email).size();
    page = client.submit(page, "/account/verification", {});
    CHECK(page.location == "/account?notice=verification_sent");
    CHECK(page.notice == "We sent you a message. Open the link in it to confirm your address.");
    testing::eventually([&] { return world.mails_to(ada.email).size() > before; });
    world.verify_email(ada);
    page = client.get("/account");
    CHECK(page.says("This address is confirmed."));
    CHECK_FALSE(page.links_to("/account/verification"));
}

TEST_CASE("the account's page shows the second factors", "[pages]")
{
    World const world;
    auto ada = world.new_account_with_totp();
    world.enrol_sms(ada);
    auto phone = new_phone_with_passkeys();
    auto const passkey = register_passkey(world, ada, phone, "Ada's <phone>");
    auto client = browser_of(world, ada, "recovery_code", ada.recovery_codes.at(0));
    auto const page = client.get("/account");
    CHECK(page.says("Passkey: Ada's <phone>"));
    CHECK(page.says("not used yet"));
    CHECK(page.says("Codes left: 9"));
    CHECK(page.says("********" + ada.phone.substr(ada.phone.size() - 2)));
    CHECK_FALSE(page.says(ada.phone));
    CHECK(page.links_to("/account/factor/totp/remove"));
    CHECK(page.links_to("/account/factor/sms/remove"));
    CHECK(page.links_to("/account/passkeys/" + text(passkey, "passkeyId") + "/remove"));
    CHECK(page.links_to("/account/codes"));
    CHECK_FALSE(page.links_to("/enroll/totp"));
    CHECK_FALSE(page.links_to("/enroll/sms"));
}

TEST_CASE("the account's page lists sessions and ends them", "[pages]")
{
    World const world;
    auto ada = world.new_account();
    auto client = browser_of(world, ada);
    auto second = browser_of(world, ada);
    auto page = client.get("/account");
    CHECK(page.says("This browser"));
    CHECK(page.links_to("/account/sessions/end"));
    auto const elsewhere = text(claims_of(ada.access_token), "sid");
    page = client.submit(page, "/account/sessions/" + elsewhere + "/end", {});
    CHECK(page.notice == "That browser or app is signed out.");
    CHECK_FALSE(is_live(world, ada));
    CHECK(second.get("/account").location == "/account");

    page = client.submit(page, "/account/sessions/end", {});
    CHECK(page.notice == "All other browsers and apps are signed out.");
    CHECK_FALSE(page.links_to("/account/sessions/end"));
    CHECK(second.get("/account").location == "/login?next=/account"); // the session ended elsewhere
    CHECK(session_of(second).empty());
}

TEST_CASE("the account's page forgets trusted browsers", "[pages]")
{
    World const world;
    auto ada = world.new_account_with_totp();
    for (int i = 0; i < 3; ++i)
        world.verify(world.challenged(ada), "recovery_code", ada.recovery_codes.at(i), true);
    auto client = browser_of(world, ada, "recovery_code", ada.recovery_codes.at(3));
    ada.take(world.verify(world.challenged(ada), "recovery_code", ada.recovery_codes.at(4)));
    auto page = client.get("/account");
    CHECK(page.says("Trusted browsers"));
    page = client.submit(page, action_on(page, "/account/devices/[^/\"]+/forget"), {});
    CHECK(page.notice == "That browser is not trusted any more.");
    CHECK(items(world, ada, "/v1/auth/mfa/devices").size() == 2);
    page = client.submit(page, "/account/devices/forget", {});
    CHECK(page.notice == "No browser is trusted any more.");
    CHECK(items(world, ada, "/v1/auth/mfa/devices").empty());
    CHECK_FALSE(page.says("Trusted browsers"));
}

TEST_CASE("ids of other users lead to the page for unknown addresses", "[pages]")
{
    World const world;
    auto ada = world.new_account();
    auto phone = new_phone_with_passkeys();
    auto const passkey = text(register_passkey(world, ada, phone), "passkeyId");
    auto const device = world.verify(world.challenged(ada), "recovery_code", ada.recovery_codes.at(0), true);
    ada.take(device);
    auto const device_id = text(items(world, ada, "/v1/auth/mfa/devices").at(0), "deviceId");
    auto const session = text(claims_of(ada.access_token), "sid");

    auto client = browser_of(world, world.new_account());
    auto const csrf = PageClient::csrf_of(client.get("/account"));
    for (auto const& route : {Route{"POST", "/account/sessions/" + session + "/end"},
             {"POST", "/account/devices/" + device_id + "/forget"},
             {"GET", "/account/passkeys/" + passkey + "/remove"},
             {"POST", "/account/passkeys/" + passkey + "/remove"},
             {"POST", std::string("/account/identities/") + unknown_id + "/unlink"},
             {"POST", "/account/sessions/nothing/end"}, {"GET", "/account/factor/passkey/remove"},
             {"POST", "/account/factor/passkey/remove"}}) {
        INFO(route.method << ' ' << route.path);
        auto const page = open(client, route, csrf);
        CHECK(page.status == 404);
        CHECK(page.says("This page does not exist."));
    }
    CHECK(is_live(world, ada));
    CHECK(items(world, ada, "/v1/auth/passkeys").size() == 1);
    CHECK(items(world, ada, "/v1/auth/mfa/devices").size() == 1);
}

TEST_CASE("a page session works only in its own environment", "[pages]")
{
    World const world;
    auto sandbox = browser_of(world, world.new_account());
    auto production = browser_of(world, world.new_account("demo"));
    auto const cookie = session_of(sandbox);
    sandbox.cookies["__Host-session"] = session_of(production);
    production.cookies["__Host-session"] = cookie;
    CHECK(sandbox.get_raw("/account").location == "/login?next=/account");
    CHECK(production.get_raw("/account").location == "/login?next=/account");
}

TEST_CASE("a user changes the password on the account's page", "[pages]")
{
    World const world;
    auto ada = world.new_account();
    auto client = browser_of(world, ada);
    std::string const path = "/account/password", wanted = "another good password";
    auto page = client.fill_in(path, {{"currentPassword", "wrong one"}, {"newPassword", wanted}});
    CHECK(page.status == 401);
    CHECK(page.error.at("currentPassword") == "The current password is wrong.");
    page = client.submit(page, path, {{"currentPassword", ada.password}, {"newPassword", "password"}});
    CHECK(page.status == 400);
    CHECK_FALSE(page.error.at("newPassword").empty());
    CHECK(page.body.find(ada.password) == std::string::npos);
    page = client.submit(page, path, {{"currentPassword", ada.password}, {"newPassword", wanted}});
    CHECK(page.location == "/account?notice=password_changed");
    CHECK(page.notice == "Your password was changed.");
    CHECK_FALSE(is_live(world, ada));
    ada.password = wanted;
    CHECK(world.login(ada).status == 200);
}

TEST_CASE("a user asks for another email on the account's page", "[pages]")
{
    World const world;
    auto const ada = world.new_account(), bob = world.new_account();
    auto client = browser_of(world, ada);
    auto page = client.fill_in("/account/email", {{"newEmail", bob.email}});
    CHECK(page.status == 409);
    CHECK(page.error.at("newEmail") == "Another account has this address. Use another one.");
    page = client.submit(page, "/account/email", {{"newEmail", ada.email}});
    CHECK(page.error.at("newEmail") == "This is the present value already.");
    auto const email = World::new_email();
    page = client.submit(page, "/account/email", {{"newEmail", email}});
    CHECK(page.location == "/account?notice=email_requested");
    testing::eventually([&] { return world.mails_to(email).size() == 1; });
}

TEST_CASE("a user unlinks an identity unless it is the only way to sign in", "[pages]")
{
    World const world;
    TrustedProvider const provider(world);
    world.set({{"identityProviders", json::array{provider.setting()}}});
    auto const ada = world.new_account();
    auto const link = [&] {
        return world.as(ada).post("/v1/auth/identities", body({{"idToken", provider.token()}}));
    };
    REQUIRE(with_keys(link).status == 201);
    auto client = browser_of(world, ada);
    auto page = client.get("/account");
    CHECK(page.says("https://id.example.com"));
    world.clock.advance(too_long);
    auto const action = action_on(page, "/account/identities/[^/\"]+/unlink");
    page = client.submit(page, action, {});
    REQUIRE(page.location == "/account/confirm?next=/account");
    page = client.submit(page, "/account/confirm", {{"password", ada.password}});
    CHECK(page.notice == "Thank you. You can now continue.");
    auto const set_password = [&](std::string const& hash) {
        world.postgres.query(
            "UPDATE users SET password_hash = " + hash + " WHERE user_id = '" + ada.user_id + "'");
    };
    auto const hash = world.postgres.query(
        "SELECT quote_literal(password_hash) FROM users WHERE user_id = '" + ada.user_id + "'");
    set_password("NULL");
    page = client.submit(page, action, {});
    CHECK(page.status == 409);
    CHECK(page.title == "Your account");
    CHECK(page.alert ==
          "This is the only way to sign in to your account. Add a passkey or set a password first.");
    set_password(hash);
    page = client.submit(page, action, {});
    CHECK(page.notice == "The account was unlinked.");
    CHECK_FALSE(page.says("https://id.example.com"));
}

TEST_CASE("the account's page shows recent activity and continues on its own page", "[pages]")
{
    World const world;
    auto const ada = world.new_account();
    auto wrong = ada;
    wrong.password = "wrong password";
    world.login(wrong);
    auto client = browser_of(world, ada);
    auto page = client.get("/account");
    CHECK(page.says("Account created"));
    CHECK(page.says("Sign-in Refused: wrong password"));
    CHECK_FALSE(page.says("Show older activity"));
    for (int i = 0; i < 20; ++i)
        REQUIRE(world.login(ada).status == 200);
    page = client.get("/account");
    CHECK_FALSE(page.says("Account created"));
    std::smatch found;
    REQUIRE(std::regex_search(page.body, found, std::regex("href=\"(/account/activity\\?cursor=[^\"]+)\"")));
    page = client.get(found[1]);
    CHECK(page.status == 200);
    CHECK(page.title == "Activity");
    CHECK(page.says("Account created"));
    CHECK(client.get("/account/activity?cursor=nothing").status == 400);
}

TEST_CASE("a user downloads the account's data", "[pages]")
{
    World const world;
    auto const ada = world.new_account();
    auto browser = browser_of(world, ada);
    auto client = world.client();
    client.set("Cookie", "__Host-session=" + session_of(browser));
    auto const r = client.get("/account/export");
    CHECK(r.status == 200);
    CHECK(r.header("content-disposition") == "attachment; filename=\"account.ndjson\"");
    CHECK(r.header("cache-control") == "no-store");
    CHECK(r.body.find(ada.email) != std::string::npos);
}

TEST_CASE("a user deletes the account", "[pages]")
{
    World const world;
    auto const ada = world.new_account();
    auto client = browser_of(world, ada);
    auto page = client.fill_in("/account/delete", {{"email", "somebody@example.com"}});
    CHECK(page.status == 400);
    CHECK(page.error.at("email") == "This is not the email address of your account.");
    CHECK(is_live(world, ada));
    page = client.submit(page, "/account/delete", {{"email", ' ' + ada.email + ' '}});
    CHECK(page.location == "/login?notice=deleted");
    CHECK(page.notice == "Your account was deleted.");
    CHECK(session_of(client).empty());
    CHECK_FALSE(is_live(world, ada));
    CHECK(world.login(ada).status == 401);
}

TEST_CASE("the last owner cannot delete the account", "[pages]")
{
    World const world;
    auto const owner = world.new_owner("demo");
    auto client = browser_of(world, owner);
    auto const page = client.fill_in("/account/delete", {{"email", owner.email}});
    CHECK(page.status == 409);
    CHECK(page.alert == "You are the last owner. Make somebody else an owner first.");
    CHECK(is_live(world, owner));
}
