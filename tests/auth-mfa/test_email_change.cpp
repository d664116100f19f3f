#include "emails.hpp"
#include "factors.hpp"
#include "identity_provider.hpp"

#include <catch2/catch.hpp>

// The change of the email address, and how the previous address undoes it.

TEST_CASE("the email changes when the new address confirms it, and the old address gets a notice", "[email]")
{
    World const world;
    auto const ada = world.new_account(), bob = world.new_account();
    auto const old_email = ada.email, new_email = World::new_email();
    auto const asked = ask_to_change(world, ada, new_email);
    CHECK(asked.status == 202);
    CHECK(asked.body == "{}");
    auto const token = token_of(world, new_email, confirmation);
    CHECK(text(me(world, ada), "email") == old_email);
    CHECK(mails_about(world, old_email).size() == 1); // only the verification
    CHECK(log_in(world, new_email, World::password).status == 401);

    auto const confirmed = post(world, "/v1/auth/email/confirm", {{"token", token}});
    CHECK(confirmed.status == 200);
    CHECK(confirmed.body == body({{"email", new_email}}));
    auto const user = me(world, ada); // the session continues
    CHECK(text(user, "email") == new_email);
    CHECK(user.at("emailVerified") == true);
    CHECK(log_in(world, old_email, World::password).status == 401);
    CHECK(log_in(world, new_email, World::password).status == 200);
    auto const notices = mails_about(world, old_email, change_notice);
    REQUIRE(notices.size() == 1);
    CHECK(notices[0].text.find(new_email) != std::string::npos);
    CHECK(notices[0].token.size() == 43);
    CHECK(mails_about(world, new_email).size() == 1);
    // The verification of the old address does not verify the new one.
    CHECK(outcome(post(world, "/v1/auth/email/verify",
              {{"token", token_of(world, old_email, verification)}})) == token_expired);

    CHECK(ask_to_change(world, ada, "none").status == 400);
    CHECK(ask_to_change(world, ada, new_email).status == 400);
    CHECK(outcome(ask_to_change(world, ada, bob.email)) == "409 CONFLICT");
    CHECK(post(world, "/v1/auth/email", {{"newEmail", World::new_email()}}).status == 401);
}

TEST_CASE("a change of the email is refused if the address was taken before the confirmation", "[email]")
{
    World const world;
    auto const ada = world.new_account();
    auto const wanted = World::new_email();
    auto const token = confirmation_token(world, ada, wanted);
    register_with(world, wanted);
    CHECK(outcome(post(world, "/v1/auth/email/confirm", {{"token", token}})) == "409 CONFLICT");
    CHECK(text(me(world, ada), "email") == ada.email);
}

TEST_CASE("at most three changes of the email may be requested an hour", "[email]")
{
    World const world;
    auto const ada = world.new_account();
    for (int i = 0; i < 3; ++i)
        CHECK(ask_to_change(world, ada, World::new_email()).status == 202);
    auto const unsent = World::new_email();
    auto const refused = ask_to_change(world, ada, unsent);
    CHECK(outcome(refused) == "429 RATE_LIMITED");
    CHECK_FALSE(refused.header("retry-after").empty());
    CHECK(mails_about(world, unsent).empty());
}

TEST_CASE("many accounts together request at most three changes to one new address an hour", "[email]")
{
    World const world;
    auto const wanted = World::new_email();
    for (int i = 0; i < 3; ++i)
        CHECK(ask_to_change(world, world.new_account(), wanted).status == 202);
    auto const ada = world.new_account();
    auto const refused = ask_to_change(world, ada, wanted);
    CHECK(outcome(refused) == "429 RATE_LIMITED");
    CHECK_FALSE(refused.header("retry-after").empty());
    CHECK(mails_about(world, wanted).size() == 3);
    CHECK(ask_to_change(world, ada, World::new_email()).status == 202);
    world.clock.advance(1h);
    auto const bob = world.new_account();
    CHECK(ask_to_change(world, bob, wanted).status == 202);
}

TEST_CASE("the old address undoes a change of the email, which ends all sessions", "[email]")
{
    World const world;
    bool const verified = GENERATE(true, false);
    INFO(verified);
    auto ada = world.new_account();
    if (verified) world.verify_email(ada);
    auto const old_email = ada.email, new_email = World::new_email();
    auto const undo = change_email(world, ada, new_email);
    Account second = ada;
    second.take(world.login(ada));
    world.clock.advance(72h - 1ms);
    auto const reset_at_new_address = reset_token(world, new_email);
    Account third = ada;
    third.take(world.login(ada));
    auto const reverted = post(world, "/v1/auth/email/revert", {{"token", undo}});
    CHECK(reverted.status == 200);
    CHECK(reverted.body == body({{"email", old_email}}));
    CHECK(world.as(third).get("/v1/auth/me").status == 401);
    for (auto const& account : {ada, second, third})
        CHECK(refresh(world, account).status == 401);
    CHECK(log_in(world, new_email, World::password).status == 401);
    CHECK(outcome(reset(world, reset_at_new_address)) == token_expired);
    auto const again = log_in(world, old_email, World::password);
    REQUIRE(again.status == 200);
    CHECK(again.json().at("user").at("emailVerified") == verified);
    CHECK(outcome(post(world, "/v1/auth/email/revert", {{"token", undo}})) == token_expired);
    register_with(world, new_email); // nothing reserves the new address
}

TEST_CASE("an undone change does not give an admin an unverified email", "[email]")
{
    World const world;
    auto const owner = world.new_owner();
    auto ada = world.new_account(); // not verified
    auto const undo = change_email(world, ada, World::new_email());
    REQUIRE(world.as(owner).patch("/v1/members/" + ada.user_id, R"({"role":"admin"})").status == 200);
    CHECK(outcome(post(world, "/v1/auth/email/revert", {{"token", undo}})) == token_expired);
    REQUIRE(world.as(owner).patch("/v1/members/" + ada.user_id, R"({"role":"user"})").status == 200);
    CHECK(post(world, "/v1/auth/email/revert", {{"token", undo}}).status == 200);
}

TEST_CASE("no other user can take the old address while the change can be undone", "[email]")
{
    World const world;
    TrustedProvider const provider(world);
    world.set({{"identityProviders", {provider.setting()}}});
    auto ada = world.new_account();
    auto const bob = world.new_account();
    auto const old_email = ada.email;
    change_email(world, ada, World::new_email());
    auto shouted = old_email;
    shouted.replace(0, 4, "USER");
    for (auto const& email : {old_email, shouted}) {
        CHECK(outcome(post(world, "/v1/auth/register", {{"email", email}, {"password", World::password}})) ==
              "409 CONFLICT");
        CHECK(outcome(world.as_master().post("/v1/members", body({{"email", email}}))) == "409 CONFLICT");
        CHECK(outcome(ask_to_change(world, bob, email)) == "409 CONFLICT");
        CHECK(outcome(sign_in_externally(world, provider.token(email))) == "409 CONFLICT");
        CHECK(outcome(world.as_master().post("/v1/admin/tenants/demo/owners",
                  body({{"email", email}, {"password", World::password}, {"environment", "sandbox"}}))) ==
              "409 CONFLICT");
    }
    register_with(world, old_email, "demo"); // another environment
    SECTION("it is free when the time is over")
    {
        world.clock.advance(72h - 1ms);
        CHECK(
            post(world, "/v1/auth/register", {{"email", old_email}, {"password", World::password}}).status ==
            409);
        world.clock.advance(1ms);
        CHECK(register_with(world, old_email).user_id != ada.user_id);
    }
    SECTION("the user may return to it")
    {
        change_email(world, ada, old_email);
        CHECK(text(me(world, ada), "email") == old_email);
    }
}

TEST_CASE("while the account is disabled, its old address stays reserved and the undo stays valid", "[email]")
{
    World const world;
    auto ada = world.new_account();
    auto const old_email = ada.email;
    auto const undo = change_email(world, ada, World::new_email());
    auto const path = "/v1/members/" + ada.user_id;
    REQUIRE(world.as_master().patch(path, R"({"status":"disabled"})").status == 200);
    CHECK(outcome(post(world, "/v1/auth/register", {{"email", old_email}, {"password", World::password}})) ==
          "409 CONFLICT");
    REQUIRE(world.as_master().patch(path, R"({"status":"active"})").status == 200);
    auto const reverted = post(world, "/v1/auth/email/revert", {{"token", undo}});
    CHECK(reverted.status == 200);
    CHECK(reverted.body == body({{"email", old_email}}));
    CHECK(log_in(world, old_email, World::password).status == 200);
}

TEST_CASE("a change of the email is withdrawn if the user's sessions end before the confirmation", "[email]")
{
    World const world;
    auto ada = world.new_account();
    auto const old_email = ada.email, wanted = World::new_email();
    auto const path = "/v1/members/" + ada.user_id;
    std::string token;
    SECTION("because an owner ends them")
    {
        token = confirmation_token(world, ada, wanted);
        REQUIRE(world.as_master().del(path + "/sessions").status == 200);
    }
    SECTION("because another factor is enrolled")
    {
        world.enrol_totp(ada);
        world.reauthenticate(ada);
        token = confirmation_token(world, ada, wanted);
        world.enrol_sms(ada);
    }
    SECTION("because an owner removes the factors")
    {
        world.enrol_totp(ada);
        world.reauthenticate(ada);
        token = confirmation_token(world, ada, wanted);
        REQUIRE(world.as_master().del(path + "/mfa").status == 200);
    }
    CHECK(outcome(post(world, "/v1/auth/email/confirm", {{"token", token}})) == token_expired);
    CHECK(text(world.as_master().get(path).json(), "email") == old_email);
}

TEST_CASE("an attacker who changes the email twice cannot keep the account", "[email]")
{
    World const world;
    auto ada = world.new_account();
    world.verify_email(ada);
    auto const old_email = ada.email, first = World::new_email(), second = World::new_email();
    auto const undo = change_email(world, ada, first);
    auto const attackers_undo = change_email(world, ada, second);
    auto const revert = [&](std::string const& token) {
        return post(world, "/v1/auth/email/revert", {{"token", token}});
    };
    auto const third = World::new_email();
    auto const pending = confirmation_token(world, ada, third);
    bool const attacker_acts_first = GENERATE(false, true);
    INFO(attacker_acts_first);
    if (attacker_acts_first) CHECK(revert(attackers_undo).body == body({{"email", first}}));
    CHECK(revert(undo).body == body({{"email", old_email}}));
    CHECK(outcome(revert(attackers_undo)) == token_expired);
    CHECK(outcome(post(world, "/v1/auth/email/confirm", {{"token", pending}})) == token_expired);
    for (auto const& email : {first, second, third})
        CHECK(log_in(world, email, World::password).status == 401);
    // The owner then chooses another password, and is alone.
    REQUIRE(reset(world, reset_token(world, old_email)).status == 200);
    CHECK(log_in(world, old_email, World::password).status == 401);
    CHECK(log_in(world, old_email, new_password).status == 200);
    for (auto const& email : {first, second, third}) {
        CHECK(forgot(world, email).status == 202);
        CHECK(mails_about(world, email, password_reset).empty());
    }
}

TEST_CASE("a confirmation that waits to be sent is withdrawn by an undone change or a reset", "[email]")
{
    World const world;
    auto ada = world.new_account();
    world.verify_email(ada);
    auto const old_email = ada.email;
    bool const undone = GENERATE(true, false);
    INFO(undone);
    auto const token = undone ? change_email(world, ada, World::new_email()) : reset_token(world, old_email);
    auto const third = World::new_email();
    {
        HeldOutbox const held(world);
        REQUIRE(ask_to_change(world, ada, third).status == 202);
        held.await_attempts(1);
        if (undone)
            CHECK(post(world, "/v1/auth/email/revert", {{"token", token}}).status == 200);
        else
            CHECK(reset(world, token).status == 200);
        held.await_attempts(undone ? 1 : 2); // a reset sends a notice, too
    }
    world.clock.advance(1min);
    CHECK(mails_about(world, third).empty());
    CHECK(log_in(world, old_email, undone ? World::password : new_password).status == 200);
}
