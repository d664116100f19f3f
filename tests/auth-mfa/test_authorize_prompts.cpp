#include "oauth_pages.hpp"

#include <catch2/catch.hpp>

using namespace oauth;

// What a client may demand of the user: prompt, max_age, acr_values and id_token_hint.

namespace {

constexpr auto long_ago = 10min;

} // namespace

TEST_CASE("prompt=login asks a signed-in user again", "[oauth][pages]")
{
    Scene scene;
    scene.browser.sign_in(scene.ada);
    scene.world.clock.advance(1s);
    auto page = scene.open({{"prompt", "login"}});
    CHECK(page.title == "Confirm that it is you");
    CHECK(page.says("Shop & Co asks you to confirm again that it is you."));
    auto const next = next_of(page);
    scene.world.clock.advance(1s);
    page = travel(scene.browser, next); // without an answer
    CHECK(page.location == "/account/confirm?next=" + next);
    auto const wrong = send(scene.browser, page, "/account/confirm", {{"password", "wrong password"}});
    CHECK(wrong.status == 401);
    CHECK(has_code(scene.confirm(wrong)));
}

TEST_CASE("an authentication of long ago does not answer a request that waits", "[oauth][pages]")
{
    Scene scene;
    scene.browser.sign_in(scene.ada);
    auto page = scene.open({{"prompt", "login"}});
    auto const next = next_of(page);
    scene.world.clock.advance(1s);
    auto fields = with(PageClient::fields_of(page, "/account/confirm"),
        {{"password", scene.ada.password}, {"next", "/account"}});
    REQUIRE(scene.browser.post_raw("/account/confirm", fields).location.starts_with("/account?"));
    scene.world.clock.advance(11min);
    page = travel(scene.browser, next);
    CHECK(page.location == "/account/confirm?next=" + next);
    CHECK(has_code(scene.confirm(page)));
}

TEST_CASE("max_age asks a user whose authentication is too old", "[oauth][pages]")
{
    Scene scene;
    scene.browser.sign_in(scene.ada);
    CHECK(has_code(scene.open({{"max_age", "60"}})));
    scene.world.clock.advance(long_ago);
    CHECK(has_code(scene.open()));
    CHECK(has_code(scene.open({{"max_age", "3600"}})));
    for (auto const* age : {"60", "0"}) {
        scene.world.clock.advance(1s);
        auto const page = scene.open({{"max_age", age}});
        CHECK(page.title == "Confirm that it is you");
        scene.world.clock.advance(1s);
        auto const code = answer_of(scene.confirm(page)).at("code");
        auto const tokens = Tokens::of(exchange(scene.world, scene.client, code, scene.pkce));
        CHECK(claims_of(tokens.id_token).at("auth_time") == core::unix_seconds(scene.world.clock.now()));
    }
}

TEST_CASE("acr_values=aal2 asks for the second factor of an older sign-in", "[oauth][pages]")
{
    Scene scene;
    scene.browser.sign_in(scene.ada);
    scene.world.enrol_totp(scene.ada);
    scene.world.clock.advance(1min);
    CHECK(has_code(scene.open()));
    CHECK(has_code(scene.open({{"acr_values", "aal1 aal2"}})));
    auto page = scene.open({{"acr_values", "other aal2 aal1"}});
    REQUIRE(page.title == "Confirm that it is you");
    CHECK(page.says("authenticator app"));
    page = send(scene.browser, page, "/account/confirm", {{"code", scene.world.totp_code(scene.ada)}});
    auto const tokens =
        Tokens::of(exchange(scene.world, scene.client, answer_of(page).at("code"), scene.pkce));
    CHECK(claims_of(tokens.id_token).at("acr") == "aal2");
}

TEST_CASE("acr_values=aal2 without a factor leads to the enrolment of one", "[oauth][pages]")
{
    Scene scene;
    scene.browser.sign_in(scene.ada);
    scene.world.clock.advance(long_ago);
    auto page = scene.open({{"acr_values", "aal2"}});
    REQUIRE(page.title == "Protect your account");
    auto const next = next_of(page);
    CHECK(page.says("Shop & Co asks for a second way to confirm that it is you."));
    CHECK(page.links_to("/enroll/totp?next=" + next));
    // The enrolment needs a recent authentication, and returns to the enrolment.
    page = travel(scene.browser, "/enroll/totp?next=" + next);
    CHECK(page.location == "/account/confirm?next=/enroll/totp?next=" + next);
    page = scene.confirm(page);
    CHECK(page.location == "/enroll/totp?next=" + next);
    page = send(scene.browser, page, "/enroll/totp", {});
    scene.ada.totp_secret = secret_of(page);
    page = send(scene.browser, page, "/enroll/totp/code", {{"code", scene.world.totp_code(scene.ada)}});
    CHECK(page.title == "Save your recovery codes");
    CHECK(page.links_to(next));
    // The new factor must be proved once.
    scene.world.clock.advance(1min);
    page = travel(scene.browser, next);
    REQUIRE(page.location == "/account/confirm?next=" + next);
    page = send(scene.browser, page, "/account/confirm", {{"code", scene.world.totp_code(scene.ada)}});
    CHECK(has_code(page));
}

TEST_CASE("a user who cancels returns to the client with an error", "[oauth][pages]")
{
    Scene scene;
    auto page = scene.open();
    CHECK(page.links_to(next_of(page) + "?cancel=1"));
    auto answer = answer_of(scene.browser.get_raw(next_of(page) + "?cancel=1"));
    CHECK(answer.at("error") == "access_denied");
    CHECK(answer.at("state") == "state-1");
    CHECK(scene.sign_in(page).status == 410);
    page = scene.open({{"acr_values", "aal2"}});
    CHECK(page.links_to(next_of(page) + "?cancel=1"));
    answer = answer_of(scene.browser.get_raw(next_of(page) + "?cancel=1"));
    CHECK(answer.at("error") == "unmet_authentication_requirements");
    PageClient other(scene.world);
    page = scene.open({{"prompt", "login"}});
    CHECK(other.get_raw(next_of(page) + "?cancel=1").status == 410);
}

TEST_CASE("prompt=select_account lets a signed-in user choose", "[oauth][pages]")
{
    Scene scene;
    auto const bob = scene.world.new_account();
    scene.browser.sign_in(scene.ada);
    scene.world.clock.advance(1s);
    auto page = scene.open({{"prompt", "select_account"}});
    CHECK(page.title == "Choose an account");
    CHECK(page.says("Which account do you want to use for Shop & Co?"));
    CHECK(page.says("Continue as " + scene.ada.email));
    CHECK(policy_of(page).find("form-action 'self' https://app.example.com;") != std::string::npos);
    auto const path = next_of(page);

    SECTION("the account of the session")
    {
        page = send(scene.browser, page, path, {{"choice", "continue"}});
        CHECK(has_code(page));
        CHECK(scene.world.postgres.query("SELECT user_id FROM authorization_codes") == scene.ada.user_id);
    }
    SECTION("another account")
    {
        page = send(scene.browser, page, path, {{"choice", "other"}});
        CHECK(page.title == "Sign in");
        CHECK(session_of(scene.browser).empty());
        CHECK(has_code(sign_in_on(scene.browser, page, bob)));
        CHECK(scene.world.postgres.query("SELECT user_id FROM authorization_codes") == bob.user_id);
    }
    SECTION("a form of another site chooses nothing")
    {
        CHECK(scene.browser.post_raw(path, {{"choice", "other"}}).status == 403);
        CHECK_FALSE(session_of(scene.browser).empty());
    }
    SECTION("prompt=login comes after the choice")
    {
        page = scene.open({{"prompt", "select_account login"}});
        page = send(scene.browser, page, next_of(page), {{"choice", "continue"}});
        CHECK(page.title == "Confirm that it is you");
    }
}

TEST_CASE("a user who signs in for a request has chosen the account", "[oauth][pages]")
{
    Scene scene;
    auto const page = scene.open({{"prompt", "select_account"}});
    CHECK(page.title == "Sign in");
    CHECK(has_code(scene.sign_in(page)));
}

TEST_CASE("a hint for another user asks for that account", "[oauth][pages]")
{
    Scene scene;
    auto const bob = scene.world.new_account();
    auto const hint = tokens_of(scene.world, scene.client, bob).id_token;
    scene.browser.sign_in(scene.ada);
    scene.world.clock.advance(1s);
    auto page = scene.open({{"id_token_hint", hint}});
    CHECK(page.title == "Choose an account");
    CHECK(page.says("Shop & Co asks for another account"));
    CHECK_FALSE(page.says("Continue as"));
    auto const path = next_of(page);
    // The session's account cannot be chosen, also not by a forged field.
    auto fields = PageClient::fields_of(page, path);
    CHECK(scene.browser.post_raw(path, with(fields, {{"choice", "continue"}})).location == path);
    scene.world.clock.advance(1s);
    page = send(scene.browser, page, path, {{"choice", "other"}});
    CHECK(page.title == "Sign in");

    SECTION("the hinted account")
    {
        CHECK(has_code(sign_in_on(scene.browser, page, bob)));
    }
    SECTION("the wrong account again")
    {
        CHECK(error_in(sign_in_on(scene.browser, page, scene.ada)) == "login_required");
    }
}

TEST_CASE("a hint that cannot be verified is ignored if the user can be asked", "[oauth][pages]")
{
    Scene scene;
    scene.browser.sign_in(scene.ada);
    CHECK(has_code(scene.open({{"id_token_hint", "not.a.token"}})));
}
