#include "oauth_pages.hpp"
#include "pages/headers.hpp"
#include "pages/next.hpp"

#include <catch2/catch.hpp>

#include <regex>

using namespace oauth;

// Authorization requests whose user must act first: the pages between the client and the code.

TEST_CASE("a user signs in for a client and returns to it with a code", "[oauth][pages]")
{
    Scene scene;
    auto const page = scene.open({{"login_hint", scene.ada.email}});
    CHECK(page.title == "Sign in");
    CHECK(page.says("Sign in to continue to Shop & Co."));
    CHECK(page.says("Back to Shop & Co"));
    CHECK(page.body.find("value=\"" + scene.ada.email + '"') != std::string::npos);
    auto const wrong =
        send(scene.browser, page, "/login", {{"email", scene.ada.email}, {"password", "wrong password"}});
    CHECK(wrong.status == 401);
    CHECK(wrong.says("Sign in to continue to Shop & Co."));
    auto const answer = answer_of(sign_in_on(scene.browser, wrong, scene.ada));
    CHECK(answer.at("state") == "state-1");
    auto const tokens = Tokens::of(exchange(scene.world, scene.client, answer.at("code"), scene.pkce));
    CHECK_FALSE(tokens.id_token.empty());
    CHECK(has_code(scene.open())); // the browser is signed in now
}

TEST_CASE("forms that lead to a client may be redirected there, and nowhere else", "[oauth][pages]")
{
    Scene scene;
    auto const page = scene.open();
    auto const allowed = "form-action 'self' https://app.example.com;";
    CHECK(policy_of(page).find(allowed) != std::string::npos);
    auto const wrong =
        send(scene.browser, page, "/login", {{"email", scene.ada.email}, {"password", "wrong"}});
    CHECK(policy_of(wrong).find(allowed) != std::string::npos);
    CHECK(policy_of(scene.browser.get("/login")).find("form-action 'self';") != std::string::npos);
    // Not for a request of another browser.
    PageClient other(scene.world);
    auto const stolen = other.get("/login?next=" + next_of(page));
    CHECK(policy_of(stolen).find("form-action 'self';") != std::string::npos);
    CHECK_FALSE(stolen.says("Shop & Co"));

    using auth_mfa::pages::form_source_of;
    CHECK(form_source_of("https://app.example.com/callback") == "https://app.example.com");
    CHECK(form_source_of("http://127.0.0.1:8080/callback?x=1") == "http://127.0.0.1:8080");
    CHECK(form_source_of("http://[::1]:8080/callback") == "http:");
    CHECK(form_source_of("com.example.app:/callback") == "com.example.app:");
    CHECK(form_source_of("https://a;script-src *").empty());
    CHECK(form_source_of("https://*/").empty());
    CHECK(form_source_of("https://user@host/").empty());
    CHECK(form_source_of("no uri").empty());
    CHECK(form_source_of("").empty());
}

TEST_CASE("a stored request belongs to its browser and is answered once", "[oauth][pages]")
{
    Scene scene;
    auto const next = next_of(scene.open());
    auto other = signed_in(scene.world, scene.ada);
    auto page = other.get_raw(next);
    CHECK(page.status == 410);
    CHECK(page.says("This sign-in is not valid any more."));
    // An attacker who plants a cookie of its own does not get the victim's request.
    other.cookies["__Host-authorize"] = std::string(43, 'A');
    CHECK(other.get_raw(next).status == 410);
    other.cookies["__Host-authorize"] = "";
    CHECK(other.get_raw(next).status == 410);

    scene.browser.sign_in(scene.ada);
    CHECK(has_code(scene.browser.get_raw(next)));
    CHECK(scene.browser.get_raw(next).status == 410);
    CHECK(scene.browser.get_raw("/oauth/continue/" + std::string(43, 'A')).status == 410);
    CHECK(scene.browser.get_raw("/oauth/continue/x").status == 410);
    PageClient elsewhere(scene.world, "other-sandbox");
    elsewhere.cookies = scene.browser.cookies;
    CHECK(elsewhere.get_raw(next).status == 410);
}

TEST_CASE("parallel answers to one request issue one code", "[oauth][pages]")
{
    Scene scene;
    auto const next = next_of(scene.open());
    scene.browser.sign_in(scene.ada);
    auto const cookies = "__Host-session=" + session_of(scene.browser) +
                         "; __Host-authorize=" + scene.browser.cookies.at("__Host-authorize");
    auto const statuses = at_once(8, [&](int /*number*/) {
        auto caller = scene.world.client();
        return caller.get(next, {{"Cookie", cookies}});
    });
    CHECK(statuses.at(303) == 1);
    CHECK(statuses.at(410) == 7);
    CHECK(scene.world.postgres.query("SELECT count(*) FROM authorization_codes") == "1");
}

TEST_CASE("several requests of one browser do not disturb each other", "[oauth][pages]")
{
    Scene scene;
    auto const first = scene.open({{"state", "first"}}), second = scene.open({{"state", "second"}});
    CHECK(answer_of(scene.sign_in(first)).at("state") == "first");
    CHECK(answer_of(scene.browser.get_raw(next_of(second))).at("state") == "second");
}

TEST_CASE("a stored request ends after an hour", "[oauth][pages]")
{
    Scene scene;
    auto const page = scene.open();
    scene.world.clock.advance(61min);
    CHECK(scene.sign_in(page).status == 410);
}

TEST_CASE("a request ends when its client or its redirect URI goes away", "[oauth][pages]")
{
    Scene scene;
    auto const next = next_of(scene.open());
    scene.browser.sign_in(scene.ada);
    REQUIRE(scene.world.as_master().del("/v1/clients/" + scene.client.id).status == 200);
    CHECK(scene.browser.get_raw(next).status == 410);
    CHECK(scene.world.postgres.query("SELECT count(*) FROM authorization_codes") == "0");
}

TEST_CASE("the second factor comes between the password and the code", "[oauth][pages]")
{
    Scene scene;
    scene.world.enrol_totp(scene.ada);
    scene.world.clock.advance(1min);
    auto page = scene.sign_in(scene.open({{"acr_values", "aal2"}}));
    REQUIRE(page.location == "/login/verify");
    CHECK(policy_of(page).find("https://app.example.com") != std::string::npos);
    page = send(scene.browser, page, "/login/verify", {{"code", scene.world.totp_code(scene.ada)}});
    CHECK(has_code(page));
}

TEST_CASE("a sign-in that takes too long begins again for the same client", "[oauth][pages]")
{
    Scene scene;
    scene.world.enrol_totp(scene.ada);
    auto page = scene.sign_in(scene.open());
    REQUIRE(page.location == "/login/verify");
    scene.world.clock.advance(6min); // the challenge has ended, the cookie has not
    page = send(scene.browser, page, "/login/verify", {{"code", scene.world.totp_code(scene.ada)}});
    CHECK(page.notice == "Your sign-in took too long. Please start again.");
    CHECK(page.says("Sign in to continue to Shop & Co."));
}

TEST_CASE("a new account returns to the client", "[oauth][pages]")
{
    Scene scene;
    auto const login = scene.open();
    auto page = scene.browser.get("/register?next=" + next_of(login));
    CHECK(login.links_to("/register?next=" + next_of(login)));
    CHECK(page.says("Sign in to continue to Shop & Co."));
    page = send(
        scene.browser, page, "/register", {{"email", World::new_email()}, {"password", World::password}});
    CHECK(has_code(page));
}

TEST_CASE("a user who must confirm the email first finds the way back to the client", "[oauth][pages]")
{
    Scene scene;
    scene.world.set({{"emailVerification", "required"}});
    auto const next = next_of(scene.open());
    Account eve{.tenant = "demo-sandbox", .email = World::new_email(), .password = World::password};
    auto page = send(scene.browser, scene.browser.get("/register?next=" + next), "/register",
        {{"email", eve.email}, {"password", eve.password}});
    CHECK(page.title == "Check your email");
    CHECK(page.links_to("/login?next=" + next));
    PageClient mail(scene.world);
    auto const token = scene.world.token_mailed_to(eve.email, "");
    mail.submit(mail.get("/verify-email?token=" + token), "/verify-email", {});
    CHECK(has_code(sign_in_on(scene.browser, scene.browser.get("/login?next=" + next), eve)));
}

TEST_CASE("a required factor is enrolled before the code", "[oauth][pages]")
{
    Scene scene;
    scene.world.set({{"mfaPolicy", "required"}});
    auto page = scene.sign_in(scene.open());
    REQUIRE(page.location == "/enroll");
    page = scene.browser.submit(scene.browser.get("/enroll/totp"), "/enroll/totp", {});
    scene.ada.totp_secret = secret_of(page);
    page = scene.browser.submit(page, "/enroll/totp/code", {{"code", scene.world.totp_code(scene.ada)}});
    REQUIRE(page.title == "Save your recovery codes");
    std::smatch found;
    REQUIRE(std::regex_search(page.body, found, std::regex("href=\"(/oauth/continue/[^\"]+)\"")));
    CHECK(has_code(scene.browser.get_raw(found[1])));
}

TEST_CASE("the pages speak the languages that the client asks for", "[oauth][pages]")
{
    Scene scene;
    auto const page = scene.open({{"ui_locales", "tlh de-CH en"}});
    CHECK(page.title == "Anmelden");
    CHECK(page.says("Melden Sie sich an, um zu Shop & Co zu gelangen."));
}

TEST_CASE("a sign-in returns only to requests and pages of this host", "[oauth][pages]")
{
    using auth_mfa::pages::authorization_of;
    using auth_mfa::pages::may_return_to;
    auto const id = std::string(43, 'x'), path = "/oauth/continue/" + id;
    CHECK(may_return_to(path));
    CHECK(authorization_of(path) == id);
    CHECK(may_return_to("/enroll/totp?next=" + path));
    CHECK(authorization_of("/enroll?next=" + path) == id);
    CHECK(authorization_of("/account").empty());
    for (auto const& wrong : std::vector<std::string>{"/oauth/continue/", path + "x", path + "?cancel=1",
             "/" + path, "/oauth/continue/" + std::string(43, '/'), "/oauth/continue/../../account" + id,
             "/account?next=" + path, "/enroll?next=/account", "/enroll?next=//evil.example",
             "/enroll?next=/enroll?next=" + path, "/enroll?next=", "/enroll?next=" + path + "&x=1",
             "/oauth/authorize", "https://evil.example" + path}) {
        INFO(wrong);
        CHECK_FALSE(may_return_to(wrong));
        CHECK(authorization_of(wrong).empty());
    }
}
