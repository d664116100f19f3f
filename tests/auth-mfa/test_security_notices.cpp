#include "emails.hpp"
#include "factors.hpp"

#include <catch2/catch.hpp>

// Notices about sign-ins and changes of an account.

namespace {

constexpr char const* firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0";
constexpr char const* new_sign_in = "New sign-in";
constexpr char const* password_changed = "password was changed";
constexpr char const* factor_added = "method added";
constexpr char const* factor_removed = "method removed";

} // namespace

TEST_CASE("a sign-in with an unknown browser is reported, and one with a known browser is not", "[email]")
{
    World const world;
    auto const ada = world.new_account();
    auto browser = world.client();
    browser.set("User-Agent", firefox);
    CHECK(mails_about(world, ada.email, new_sign_in).empty()); // the first browser is not unknown
    REQUIRE(world.login(ada, browser).status == 200);
    auto const notices = mails_about(world, ada.email, new_sign_in);
    REQUIRE(notices.size() == 1);
    CHECK(notices[0].text.find("Firefox (Linux)") != std::string::npos);
    CHECK(notices[0].text.find("IP address: 10.") != std::string::npos);
    CHECK(notices[0].token.empty());
    CHECK(notices[0].text.find("/reset\r\n") != std::string::npos); // the page that requests a new password

    REQUIRE(world.login(ada, browser).status == 200);
    REQUIRE(world.login(ada).status == 200); // the browser of the registration
    auto elsewhere = world.client();         // another network
    elsewhere.set("User-Agent", firefox);
    REQUIRE(world.login(ada, elsewhere).status == 200);
    CHECK(mails_about(world, ada.email, new_sign_in).size() == 1);
    elsewhere.set("User-Agent", "okhttp/4.12.0");
    REQUIRE(world.login(ada, elsewhere).status == 200);
    CHECK(mails_about(world, ada.email, new_sign_in).size() == 2);
    elsewhere.set("User-Agent", "curl/8");
    CHECK(elsewhere.post("/v1/auth/login", credentials(ada.email, "not the password")).status == 401);
    CHECK(mails_about(world, ada.email, new_sign_in).size() == 2); // no sign-in since
}

TEST_CASE("a sign-in is reported, too, if all earlier sessions were deleted", "[email]")
{
    World const world;
    auto const ada = world.new_account();
    auto const age = GENERATE(as<std::string>(), "11 minutes", "91 days");
    INFO(age);
    // The service deletes sessions some days after their end, and activity after 90 days.
    auto const of_ada = " WHERE user_id = '" + ada.user_id + "'";
    world.postgres.query("DELETE FROM sessions" + of_ada);
    if (age == "91 days") world.postgres.query("DELETE FROM activity" + of_ada);
    world.postgres.query("UPDATE users SET created_at = created_at - interval '" + age + "'" + of_ada);
    auto browser = world.client();
    browser.set("User-Agent", firefox);
    REQUIRE(world.login(ada, browser).status == 200);
    CHECK(mails_about(world, ada.email, new_sign_in).size() == 1);
    REQUIRE(world.login(ada, browser).status == 200);
    CHECK(mails_about(world, ada.email, new_sign_in).size() == 1);
}

TEST_CASE("changes of the password and of factors are reported", "[email]")
{
    World const world;
    auto ada = world.new_account();
    auto const notices = [&](char const* subject) {
        auto const mails = mails_about(world, ada.email, subject);
        for (auto const& mail : mails) {
            CHECK(mail.token.empty());
            CHECK(mail.text.find("IP address: 10.") != std::string::npos);
        }
        return mails.size();
    };
    auto const disable = [&](char const* path, std::string const& code) {
        return world.as(ada).request("DELETE", path, {}, code_body(code)).status;
    };
    REQUIRE(world.as(ada)
                .post("/v1/auth/password",
                    body({{"currentPassword", World::password}, {"newPassword", new_password}}))
                .status == 200);
    ada.password = new_password;
    CHECK(notices(password_changed) == 1);
    world.enrol_sms(ada);
    CHECK(notices(factor_added) == 1);
    world.enrol_totp(ada);
    CHECK(notices(factor_added) == 2);
    CHECK(mails_about(world, ada.email, factor_added)[1].text.find("Authenticator app") != std::string::npos);
    REQUIRE(disable("/v1/auth/mfa/sms", ada.recovery_codes[0]) == 200);
    CHECK(notices(factor_removed) == 1);
    CHECK(mails_about(world, ada.email, factor_removed)[0].text.find("Codes by text message (SMS)") !=
          std::string::npos);
    REQUIRE(world.as_master().del("/v1/members/" + ada.user_id + "/mfa").status == 200);
    CHECK(notices(factor_removed) == 2);
    REQUIRE(reset(world, reset_token(world, ada.email)).status == 200);
    CHECK(notices(password_changed) == 2);
    CHECK(outcome(reset(world, "x")) == token_expired);
    CHECK(notices(password_changed) == 2);
}

TEST_CASE("with securityEmails false no notices are sent, except the one that undoes a change of the email",
    "[email]")
{
    World const world;
    world.set({{"securityEmails", false}});
    auto ada = world.new_account();
    world.verify_email(ada);
    auto browser = world.client();
    browser.set("User-Agent", firefox);
    REQUIRE(world.login(ada, browser).status == 200);
    REQUIRE(world.as(ada)
                .post("/v1/auth/password",
                    body({{"currentPassword", World::password}, {"newPassword", new_password}}))
                .status == 200);
    ada.password = new_password;
    REQUIRE(reset(world, reset_token(world, ada.email)).status == 200);
    ada.take(world.login(ada));
    auto const undo = change_email(world, ada, World::new_email());
    world.enrol_totp(ada);
    REQUIRE(
        world.as(ada).request("DELETE", "/v1/auth/mfa/totp", {}, code_body(ada.recovery_codes[0])).status ==
        200);
    CHECK(mails_about(world, ada.email).size() == 1); // the confirmation
    CHECK(world.mails_to(text(post(world, "/v1/auth/email/revert", {{"token", undo}}).json(), "email"))
              .size() == 3); // verification, reset, notice of the change
}
