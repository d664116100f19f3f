#include "factors.hpp"
#include "page_client.hpp"
#include "support/eventually.hpp"

#include <catch2/catch.hpp>

using namespace std::chrono_literals;

namespace {

PageClient::Fields fields_of(Account const& account)
{
    return {{"email", account.email}, {"password", account.password}};
}

/// The claims that the API shows for the session of the browser: its row in the database.
std::string session_row(World const& world, Account const& account, std::string const& columns)
{
    return world.postgres.query("SELECT " + columns + " FROM sessions WHERE user_id = '" + account.user_id +
                                "' AND ended_at IS NULL ORDER BY created_at DESC LIMIT 1");
}

} // namespace

TEST_CASE("a user signs in with email and password and signs out", "[pages]")
{
    World const world;
    auto const ada = world.new_account();
    PageClient client(world);
    auto page = client.get("/login");
    REQUIRE(page.status == 200);
    CHECK(page.title == "Sign in");
    page = client.submit(page, "/login", fields_of(ada));
    CHECK(page.status == 200);
    CHECK(page.location == "/account");
    CHECK(page.says("Signed in as " + ada.email));
    CHECK(client.get("/login").location == "/account"); // a signed-in user needs no form
    auto const session = session_of(client);
    page = client.submit(page, "/logout", {});
    CHECK(page.location == "/login?notice=signed_out");
    CHECK(page.notice == "You are signed out.");
    CHECK(session_of(client).empty());
    client.cookies["__Host-session"] = session; // kept by a copy of the browser
    CHECK(client.get("/account").location == "/login?next=/account");
}

TEST_CASE("a refused sign-in shows the reason and keeps the email", "[pages]")
{
    World const world;
    auto const ada = world.new_account();
    PageClient client(world);
    auto page = client.fill_in("/login", {{"email", ada.email}, {"password", "wrong password"}});
    CHECK(page.status == 401);
    CHECK(page.alert == "The email address or the password is wrong.");
    CHECK(page.body.find("value=\"" + ada.email + "\"") != std::string::npos);
    CHECK(page.body.find("wrong password") == std::string::npos);
    page = client.fill_in("/login", {{"email", "no address"}, {"password", ""}});
    CHECK(page.status == 400);
    CHECK(page.error.at("email") == "This does not have the right form. Check it.");
    CHECK(page.error.at("password") == "This is too short.");
    for (int i = 0; i < 30 && page.status != 429; ++i)
        page = client.fill_in("/login", {{"email", ada.email}, {"password", "wrong password"}});
    CHECK(page.status == 429);
    CHECK(page.alert.starts_with("Too many attempts. Try again in "));
    CHECK_FALSE(page.response.header("retry-after").empty());
    CHECK(session_of(client).empty());
}

TEST_CASE("the second step takes a code by SMS, from an app, and a recovery code", "[pages]")
{
    World const world;
    SECTION("SMS")
    {
        auto const ada = world.new_account_with_sms();
        PageClient client(world);
        auto page = client.fill_in("/login", fields_of(ada));
        CHECK(page.location == "/login/verify");
        CHECK(page.says("Signing in as " + ada.email));
        CHECK(page.says("We sent a 6-digit code to your phone"));
        CHECK(session_of(client).empty());
        auto const first = world.code_sent_to(ada.phone);
        auto wrong = client.submit(page, "/login/verify", {{"code", other_code(first)}});
        CHECK(wrong.status == 400);
        CHECK(wrong.error.at("code") == "This code is wrong. Check it and try again.");
        world.clock.advance(1min);
        page = client.submit(page, "/login/send", {});
        CHECK(page.location == "/login/verify?method=sms&sent=1");
        page = client.submit(page, "/login/verify", {{"code", world.code_sent_to(ada.phone)}});
        CHECK(page.location == "/account");
        CHECK(session_row(world, ada, "concat(aal2, ' ', array_to_string(amr, ' '))") == "t pwd sms mfa");
    }
    SECTION("SMS, when the sign-in could send no code")
    {
        auto const ada = world.new_account_with_sms();
        PageClient client(world);
        HostedPage page;
        for (int i = 0; i < 20 && !page.says("Send a code"); ++i)
            page = client.fill_in("/login", fields_of(ada));
        CHECK(page.location == "/login/verify");
        CHECK_FALSE(page.says("We sent"));
        page = client.submit(page, "/login/send", {});
        CHECK(page.alert.starts_with("Too many"));
    }
    SECTION("an authenticator app, and trusting the browser")
    {
        auto const ada = world.new_account_with_totp();
        PageClient client(world);
        world.clock.advance(1min);
        auto page = client.fill_in("/login", fields_of(ada));
        CHECK(page.says("authenticator app"));
        CHECK(page.links_to("/login/verify?method=recovery_code"));
        page = client.submit(page, "/login/verify", {{"code", world.totp_code(ada)}, {"trust", "yes"}});
        CHECK(page.location == "/account");
        CHECK(client.cookies.contains("mfa_device"));
        page = client.submit(page, "/logout", {});
        page = client.fill_in("/login", fields_of(ada));
        CHECK(page.location == "/account"); // the browser is trusted
    }
    SECTION("a recovery code")
    {
        auto const ada = world.new_account_with_totp();
        PageClient client(world);
        client.fill_in("/login", fields_of(ada));
        auto page = client.get("/login/verify?method=recovery_code");
        CHECK(page.says("Each code works once"));
        page = client.submit(page, "/login/verify", {{"code", ada.recovery_codes[0]}});
        CHECK(page.location == "/account");
        CHECK(session_row(world, ada, "array_to_string(amr, ' ')") == "pwd kba mfa");
    }
}

TEST_CASE("a sign-in in progress ends, and belongs to its browser", "[pages]")
{
    World const world;
    auto const ada = world.new_account_with_totp();
    PageClient client(world), other(world);
    auto const page = client.fill_in("/login", fields_of(ada));
    CHECK(other.get("/login/verify").location == "/login");
    world.clock.advance(10min);
    CHECK(client.submit(page, "/login/verify", {{"code", world.totp_code(ada)}}).location ==
          "/login?notice=expired");
    CHECK(client.get("/login/verify").location == "/login");
}

TEST_CASE("a sign-in returns only to pages of this host", "[pages]")
{
    World const world;
    auto const ada = world.new_account();
    PageClient client(world);
    auto page = client.fill_in("/login?next=/enroll", fields_of(ada), "/login");
    CHECK(page.location == "/enroll");
    for (std::string const next : {"https://evil.example", "//evil.example", "/\\evil.example",
             "/%2fevil.example", "javascript:alert(1)", "/enroll%0d%0aX:y", "/enroll?x=//evil.example",
             "/v1/auth/me", "/logout", ""}) {
        INFO(next);
        PageClient fresh(world);
        auto const form = fresh.get("/login?next=" + next);
        CHECK(form.body.find("evil") == std::string::npos);
        auto fields = fields_of(ada);
        fields.emplace_back("next", next);
        CHECK(fresh.submit(form, "/login", fields).location == "/account");
    }
}

TEST_CASE("another site cannot sign a browser in", "[pages]")
{
    World const world;
    auto const eve = world.new_account();
    PageClient victim(world), attacker(world);
    auto fields = fields_of(eve);
    CHECK(victim.post_raw("/login", fields).status == 403); // no token
    auto const form = attacker.get("/login");
    fields.emplace_back("csrf", PageClient::csrf_of(form));
    CHECK(victim.post_raw("/login", fields).status == 403); // no cookie
    victim.get("/login");
    auto page = victim.post_raw("/login", fields);
    CHECK(page.status == 403); // the token of another browser
    CHECK(page.response.header("content-type") == "text/html; charset=utf-8");
    CHECK(page.says("too old, or it was sent by another site"));
    auto const own = victim.get("/login");
    fields.back().second = PageClient::csrf_of(own);
    for (auto const& headers : std::vector<PageClient::Headers>{{{"Origin", "https://evil.example"}},
             {{"Origin", "null"}}, {{"Origin", "http://other-sandbox.auth.localhost"}},
             {{"Sec-Fetch-Site", "cross-site"}}, {{"Sec-Fetch-Site", "same-site"}}})
        CHECK(victim.post_raw("/login", fields, headers).status == 403);
    CHECK(session_of(victim).empty());
    CHECK(victim.post_raw("/login", fields).status == 303);
}

TEST_CASE("scripts of allowed origins cannot read the pages", "[pages]")
{
    World const world;
    std::string const origin = "https://app.example";
    REQUIRE(world.as_master()
                .patch("/v1/settings", body({{"allowedOrigins", boost::json::array{origin}}}))
                .status == 200);
    auto const ada = world.new_account();
    auto api = world.as(ada);
    auto const allowed = [](testing::HttpResponse const& response) {
        return response.header("access-control-allow-origin");
    };
    REQUIRE(
        testing::eventually([&] { return allowed(api.get("/v1/auth/me", {{"Origin", origin}})) == origin; }));
    PageClient client(world);
    client.sign_in(ada);
    auto const page = client.get("/account", {{"Origin", origin}});
    CHECK(page.says(ada.email));
    CHECK(allowed(page.response).empty());
    CHECK(allowed(client.get_raw("/account/activity", {{"Origin", origin}}).response).empty());
}

TEST_CASE("signing in changes every cookie of the browser", "[pages]")
{
    World const world;
    auto const ada = world.new_account(), eve = world.new_account();
    PageClient attacker(world), victim(world);
    attacker.sign_in(eve);
    victim.cookies = attacker.cookies; // planted
    victim.submit(victim.get("/account"), "/logout", {});
    victim.cookies["__Host-form"] = attacker.cookies["__Host-form"];
    victim.sign_in(ada);
    CHECK(session_of(victim) != session_of(attacker));
    CHECK(victim.cookies["__Host-form"] != attacker.cookies["__Host-form"]);
    CHECK_FALSE(attacker.get("/account").says(ada.email));
}

TEST_CASE("a sign-in ends the browser's session before it", "[pages]")
{
    World const world;
    auto const ada = world.new_account(), bob = world.new_account();
    PageClient client(world), copy(world);
    client.sign_in(ada);
    copy.cookies = client.cookies;
    auto fields = fields_of(bob);
    fields.emplace_back("csrf", PageClient::csrf_of(client.get("/account")));
    REQUIRE(client.post_raw("/login", fields).status == 303);
    CHECK(client.get("/account").says(bob.email));
    CHECK(copy.get("/account").location == "/login?next=/account");
}

TEST_CASE("who starts a sign-in again or signs out leaves no sign-in in progress", "[pages]")
{
    World const world;
    world.set({{"mfaPolicy", "required"}});
    auto const ada = World::new_email();
    PageClient client(world);
    auto page = client.fill_in("/register", {{"email", ada}, {"password", World::password}});
    REQUIRE(page.location == "/enroll");
    REQUIRE(client.get("/enroll/totp").says(ada));
    bool const signs_out = GENERATE(false, true);
    if (signs_out)
        client.post_raw("/logout", {{"csrf", PageClient::csrf_of(client.get("/enroll/totp"))}});
    else
        client.get("/login");
    CHECK(client.get("/enroll/totp").location == "/login?next=/enroll/totp");
}

TEST_CASE("a session of another tenant or environment is refused", "[pages]")
{
    World const world;
    auto const ada = world.new_account();
    PageClient client(world);
    client.sign_in(ada);
    for (auto const* tenant : {"demo", "other-sandbox", "other"}) {
        INFO(tenant);
        PageClient elsewhere(world, tenant);
        elsewhere.cookies = client.cookies;
        CHECK(elsewhere.get("/account").location == "/login?next=/account");
        auto const form = elsewhere.get("/login");
        auto fields = fields_of(ada);
        fields.emplace_back("csrf", PageClient::csrf_of(client.get("/account")));
        CHECK(elsewhere.post_raw("/login", fields).status == 403);
    }
}

TEST_CASE("a page session ends with the session", "[pages]")
{
    World const world;
    auto const ada = world.new_account();
    PageClient client(world), second(world);
    client.sign_in(ada);
    second.sign_in(ada);
    auto me = world.as(ada);
    auto const ends = [&](auto const& act) {
        REQUIRE(client.get("/account").location == "/account");
        act();
        CHECK(client.get("/account").location == "/login?next=/account");
    };
    SECTION("ended in the API")
    {
        ends([&] {
            world.postgres.query(
                "UPDATE sessions SET ended_at = now() WHERE user_id = '" + ada.user_id + "'");
        });
    }
    SECTION("the password changes")
    {
        ends([&] {
            REQUIRE(me.post("/v1/auth/password",
                          body({{"currentPassword", ada.password}, {"newPassword", "another long secret 7"}}))
                        .status == 200);
        });
    }
    SECTION("the account is disabled")
    {
        ends([&] {
            REQUIRE(world.as_master()
                        .patch("/v1/members/" + ada.user_id, body({{"status", "disabled"}}))
                        .status == 200);
        });
    }
    SECTION("the tenant requires verified emails")
    {
        ends([&] { world.set({{"emailVerification", "required"}}); });
    }
    SECTION("after 30 days")
    {
        ends([&] { world.clock.advance(std::chrono::days(30)); });
    }
}

TEST_CASE("accounts that may not sign in get the reason", "[pages]")
{
    World const world;
    auto const ada = world.new_account();
    PageClient client(world);
    SECTION("disabled")
    {
        REQUIRE(
            world.as_master().patch("/v1/members/" + ada.user_id, body({{"status", "disabled"}})).status ==
            200);
        auto const page = client.fill_in("/login", fields_of(ada));
        CHECK(page.status == 403);
        CHECK(page.alert.starts_with("This account is disabled"));
    }
    SECTION("not verified")
    {
        world.set({{"emailVerification", "required"}});
        auto const page = client.fill_in("/login", fields_of(ada));
        CHECK(page.status == 403);
        CHECK(page.alert.starts_with("Confirm your email address first"));
    }
    SECTION("a factor is required")
    {
        world.set({{"mfaPolicy", "required"}});
        auto const page = client.fill_in("/login", fields_of(ada));
        CHECK(page.location == "/enroll");
        CHECK(page.says(ada.email));
        CHECK(session_of(client).empty());
    }
}

TEST_CASE("pages are shown in the user's language and with the tenant's brand", "[pages]")
{
    World const world;
    world.set({{"brand", "Demo & Co."}, {"accentColor", "#aa3366"}});
    PageClient client(world);
    auto page = client.get("/login");
    CHECK(page.says("Demo & Co."));
    CHECK(page.body.find("&amp;accent=aa3366") != std::string::npos);
    CHECK(page.body.find("<html lang=\"en\" dir=\"ltr\">") != std::string::npos);
    CHECK(client.get("/login", {{"Accept-Language", "de-AT,en;q=0.5"}}).body.find("<html lang=\"de\"") !=
          std::string::npos);
    page = client.get("/login?ui_locales=ar");
    CHECK(page.body.find("<html lang=\"ar\" dir=\"rtl\">") != std::string::npos);
    // The choice is kept in the browser.
    CHECK(client.get("/login", {{"Accept-Language", "de"}}).body.find("<html lang=\"ar\"") !=
          std::string::npos);
}

TEST_CASE("errors before a page's handler are pages, too", "[pages]")
{
    World const world;
    PageClient client(world, "unknown");
    auto const page = client.get("/login");
    CHECK(page.status == 404);
    CHECK(page.title == "Something went wrong");
    CHECK(page.says("This address is not valid. Check the link."));
    PageClient known(world);
    auto const form = known.get("/login");
    auto const too_large = known.post_raw(
        "/login", {{"csrf", PageClient::csrf_of(form)}, {"email", std::string(std::size_t{20} << 10, 'a')}});
    CHECK(too_large.status == 413);
    CHECK(too_large.says("What you sent is too large."));
    auto const json = known.post_raw("/login", {}, {{"Content-Type", "application/json"}});
    CHECK(json.status == 415);
}

TEST_CASE("files of the pages are cached by their version", "[pages]")
{
    World const world;
    auto client = world.client();
    for (std::string const file : {"/pages.css", "/pages.js"}) {
        INFO(file);
        auto const plain = client.get(file);
        CHECK(plain.status == 200);
        CHECK(plain.header("cache-control") == "no-cache");
        CHECK(plain.header("x-content-type-options") == "nosniff");
    }
    auto const html = client.get("/login").body;
    auto const begin = html.find("/pages.css?");
    auto const link = html.substr(begin, html.find('"', begin) - begin);
    CHECK(client.get(link).header("cache-control") == "public, max-age=31536000, immutable");
    CHECK(client.get("/pages.css?accent=ff0000").body.find("--accent:") != std::string::npos);
    CHECK(client.get("/pages.css?accent=zzzzzz").body == client.get("/pages.css").body);
    CHECK(client.get("/pages.css?accent=%7D%7Bfoo").body == client.get("/pages.css").body);
}

TEST_CASE("the second step takes a code from a form with only the fields code and csrf", "[pages]")
{
    World const world;
    auto const ada = world.new_account_with_totp();
    PageClient client(world);
    world.clock.advance(1min);
    auto const page = client.fill_in("/login", fields_of(ada));
    auto const sent = client.post_raw(
        "/login/verify", {{"csrf", PageClient::csrf_of(page)}, {"code", " " + world.totp_code(ada) + " "}});
    CHECK(sent.status == 303);
    CHECK(client.get("/account").says(ada.email));
}

TEST_CASE("a form of a local host is accepted with any port in its origin", "[pages]")
{
    World const world;
    auto const ada = world.new_account();
    PageClient client(world);
    auto fields = fields_of(ada);
    fields.emplace_back("csrf", PageClient::csrf_of(client.get("/login")));
    CHECK(client.post_raw("/login", fields, {{"Origin", "http://demo.auth.localhost:8102"}}).status == 403);
    CHECK(client.post_raw("/login", fields, {{"Origin", "http://demo-sandbox.auth.localhost:1"}}).status ==
          303);
}
