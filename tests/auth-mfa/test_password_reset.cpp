#include "emails.hpp"
#include "factors.hpp"
#include "identity_provider.hpp"

#include <catch2/catch.hpp>

// The reset of a forgotten password.

namespace {

/// Whether neither token of the account's session works any more.
bool is_signed_out(World const& world, Account const& account)
{
    return world.as(account).get("/v1/auth/me").status == 401 && refresh(world, account).status == 401;
}

} // namespace

TEST_CASE("a request for a reset gets the same response for known and unknown addresses", "[email]")
{
    World const world;
    auto const ada = world.new_account();
    auto const unknown = World::new_email();
    auto const answer = [&](std::string const& email) {
        auto const r = forgot(world, email);
        std::string shown = std::to_string(r.status) + r.body;
        for (auto const& [name, value] : r.headers)
            shown += '\n' + name;
        return shown;
    };
    auto const known = answer(ada.email);
    CHECK(known.starts_with("202{}"));
    CHECK(answer(unknown) == known);
    CHECK(mails_about(world, ada.email, password_reset).size() == 1);
    CHECK(mails_about(world, unknown).empty());
    CHECK(testing::faults_of(forgot(world, "none")) == "/email format");

    SECTION("at most three emails an hour are sent to an account")
    {
        auto shouted = ada.email;
        shouted.replace(0, 4, "USER");
        for (auto const& email : {shouted, ada.email, ada.email, shouted})
            CHECK(answer(email) == known);
        CHECK(mails_about(world, ada.email, password_reset).size() == 3);
        for (int i = 0; i < 5; ++i)
            CHECK(answer(unknown) == known);
        world.clock.advance(1h);
        CHECK(answer(ada.email) == known);
        CHECK(mails_about(world, ada.email, password_reset).size() == 4);
    }
    SECTION("an account of another environment gets no email")
    {
        auto const elsewhere = register_with(world, World::new_email(), "demo");
        CHECK(answer(elsewhere.email) == known);
        CHECK(mails_about(world, elsewhere.email, password_reset).empty());
    }
    SECTION("a disabled account gets no email, and an earlier token does not work")
    {
        auto const token = reset_token(world, ada.email);
        REQUIRE(
            world.as_master().patch("/v1/members/" + ada.user_id, body({{"status", "disabled"}})).status ==
            200);
        CHECK(outcome(reset(world, token)) == token_expired);
        CHECK(answer(ada.email) == known);
        CHECK(mails_about(world, ada.email, password_reset).size() == 2);
    }
    SECTION("an invited user gets an email, and becomes active by it")
    {
        auto const email = World::new_email();
        auto const invited = invite(world, email);
        CHECK(reset(world, reset_token(world, email)).status == 200);
        CHECK(log_in(world, email, new_password).status == 200);
        CHECK(outcome(accept(world, invited)) == token_expired);
    }
}

TEST_CASE("a request for a reset stores the same row for known and unknown addresses", "[email]")
{
    World const world;
    auto const ada = world.new_account();
    auto const unknown = World::new_email();
    settle(world);
    // Keeps a copy of each row, because the service soon removes the row.
    world.postgres.query(R"(
        CREATE TABLE seen_mails (seen jsonb);
        CREATE FUNCTION see_mail() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
        BEGIN
            INSERT INTO public.seen_mails VALUES (to_jsonb(NEW) - '{mail_id,created_at,traceparent}'::text[]);
            RETURN NULL;
        END $$;
        CREATE TRIGGER see_mail AFTER INSERT ON mails FOR EACH ROW EXECUTE FUNCTION see_mail())");
    REQUIRE(forgot(world, ada.email).status == 202);
    REQUIRE(forgot(world, unknown).status == 202);
    auto const seen = [&](char const* what) {
        return world.postgres.query(std::string("SELECT count(") + what + ") FROM seen_mails");
    };
    CHECK(seen("*") == "2");
    CHECK(seen("DISTINCT seen ->> 'email'") == "2");
    CHECK(seen("DISTINCT seen - 'email' - 'email_key'") == "1");
    CHECK(seen("seen ->> 'user_id'") == "0"); // a look-up of the user would take time
}

TEST_CASE("requests for emails are limited per network", "[email]")
{
    World const world;
    auto const unknown = body({{"email", World::new_email()}});
    auto visitor = world.client();
    int sent = 0;
    auto last = visitor.post("/v1/auth/password/forgot", unknown);
    for (; sent < 1'500 && last.status == 202; ++sent)
        last = visitor.post("/v1/auth/password/forgot", unknown);
    CHECK(sent == 1'000);
    CHECK(outcome(last) == "429 RATE_LIMITED");
    CHECK_FALSE(last.header("retry-after").empty());
    CHECK(outcome(visitor.post("/v1/auth/email/verification", unknown)) == "429 RATE_LIMITED");
    CHECK(forgot(world, World::new_email()).status == 202); // from another network
    world.clock.advance(1h);
    CHECK(visitor.post("/v1/auth/password/forgot", unknown).status == 202);
}

TEST_CASE("a refused password does not use up the token of a reset or an invitation", "[email]")
{
    World const world;
    auto const ada = world.new_account();
    auto const invited = World::new_email();
    auto const resetting = reset_token(world, ada.email), accepting = invite(world, invited);

    struct Case {
        std::string password;
        char const* fault;
    };

    auto const check = [](testing::HttpResponse const& r, std::string const& fault) {
        CHECK(outcome(r) == "400 VALIDATION_ERROR");
        CHECK(testing::faults_of(r) == fault);
    };
    for (auto const& [password, fault] : {Case{"Password1!", "too_weak"}, Case{"k9#mQz!", "too_short"},
             Case{std::string(128, 'a'), "too_weak"}, Case{ada.email, "same_as_email"}}) {
        INFO(password);
        check(post(world, "/v1/auth/password/reset", {{"token", resetting}, {"newPassword", password}}),
            "/newPassword " + std::string(fault));
    }
    auto const member = World::new_email();
    for (auto const& [password, fault] : {Case{"Password1!", "too_weak"}, Case{"k9#mQz!", "too_short"}}) {
        INFO(password);
        check(post(world, "/v1/auth/invitations/accept", {{"token", accepting}, {"password", password}}),
            "/password " + std::string(fault));
        check(world.as_master().post("/v1/members", body({{"email", member}, {"password", password}})),
            "/password " + std::string(fault));
    }
    check(post(world, "/v1/auth/invitations/accept", {{"token", accepting}, {"password", invited}}),
        "/password same_as_email");
    check(world.as_master().post("/v1/members", body({{"email", member}, {"password", member}})),
        "/password same_as_email");
    CHECK(reset(world, resetting).status == 200);
    CHECK(accept(world, accepting).status == 201);
    CHECK(world.as_master().post("/v1/members", body({{"email", member}})).status == 201);
}

TEST_CASE("a password that a reset or an invitation sets is the same in every normalization form", "[email]")
{
    World const world;
    constexpr char const* nfc = "caf\u00e9 au lait \u1e0d\u0307";
    constexpr char const* nfd = "cafe\u0301 au lait d\u0323\u0307";
    auto const ada = world.new_account();
    auto const invited = World::new_email(), member = World::new_email();
    auto const resetting = reset_token(world, ada.email), accepting = invite(world, invited);
    CHECK(post(world, "/v1/auth/password/reset", {{"token", resetting}, {"newPassword", nfd}}).status == 200);
    CHECK(
        post(world, "/v1/auth/invitations/accept", {{"token", accepting}, {"password", nfd}}).status == 201);
    CHECK(world.as_master().post("/v1/members", body({{"email", member}, {"password", nfd}})).status == 201);
    for (auto const& email : {ada.email, invited, member}) {
        CHECK(log_in(world, email, nfc).status == 200);
        CHECK(log_in(world, email, nfd).status == 200);
    }
}

TEST_CASE(
    "a reset ends all sessions and trusted devices, and keeps the factors of a verified account", "[email]")
{
    World const world;
    auto ada = world.new_account();
    world.verify_email(ada);
    world.enrol_sms(ada);
    auto const trusting = world.verify(world.challenged(ada), "sms", world.code_sent_to(ada.phone), true);
    REQUIRE(trusting.status == 200);
    Account second = ada;
    second.take(trusting);
    auto device = world.client();
    device.set("Cookie", device_cookie_of(trusting));
    REQUIRE(world.login(ada, device).status == 200);
    auto const open = world.challenged(ada);

    auto const answer = reset(world, reset_token(world, ada.email));
    CHECK(answer.status == 200);
    CHECK(answer.body == R"({"reset":true})");
    CHECK(is_signed_out(world, ada));
    CHECK(is_signed_out(world, second));
    CHECK(outcome(world.verify(open, "sms", world.code_sent_to(ada.phone))) == expired);
    CHECK(world.login(ada).status == 401);
    ada.password = new_password;
    CHECK(error_of(world.login(ada, device)) == "mfa_required");
    CHECK(world.verify(world.challenged(ada), "recovery_code", ada.recovery_codes[0]).status == 200);
    auto const passed = world.verify(world.challenged(ada), "sms", world.code_sent_to(ada.phone));
    REQUIRE(passed.status == 200);
    ada.take(passed);
    CHECK(text(me(world, ada), "phone") == ada.phone);
    CHECK(world.as(ada).get("/v1/auth/mfa/devices").json().at("items").as_array().empty());
}

TEST_CASE(
    "after a reset the owner of the mailbox is alone in an account that a stranger registered", "[email]")
{
    World const world;
    TrustedProvider const provider(world);
    world.set({{"identityProviders", {provider.setting()}}});
    auto const email = "cto@acme.test";
    auto stranger = register_with(world, email);
    auto const linked = with_keys([&] {
        return world.as(stranger).post(
            "/v1/auth/identities", body({{"idToken", provider.token("stranger@example.com")}}));
    });
    REQUIRE(linked.status == 201);
    // The stranger also begins to move the account to another address, which keeps a token outside.
    auto const move = confirmation_token(world, stranger, "stranger@example.com");
    world.enrol_sms(stranger);
    world.enrol_totp(stranger);
    auto const trusting =
        world.verify(world.challenged(stranger), "totp", world.totp_code(stranger, 1), true);
    REQUIRE(trusting.status == 200);
    Account second = stranger;
    second.take(trusting);
    auto device = world.client();
    device.set("Cookie", device_cookie_of(trusting));
    auto const open = world.challenged(stranger);

    REQUIRE(reset(world, reset_token(world, email)).status == 200);

    CHECK(is_signed_out(world, stranger));
    CHECK(is_signed_out(world, second));
    CHECK(outcome(world.verify(open, "recovery_code", stranger.recovery_codes[0])) == expired);
    CHECK(world.login(stranger).status == 401);
    CHECK(world.login(stranger, device).status == 401);
    CHECK(outcome(post(world, "/v1/auth/email/confirm", {{"token", move}})) == token_expired);
    auto const external = sign_in_externally(world, provider.token("stranger@example.com"));
    CHECK(external.status == 201); // another account
    CHECK(text(external.json().at("user"), "userId") != stranger.user_id);

    Account cto{.tenant = "demo-sandbox", .email = email, .password = new_password};
    auto const signed_in = world.login(cto);
    REQUIRE(signed_in.status == 200);
    cto.take(signed_in);
    auto caller = world.as(cto);
    CHECK(cto.user_id == stranger.user_id);
    auto const user = me(world, cto);
    CHECK(text(user, "email") == email);
    CHECK(user.at("emailVerified") == true);
    CHECK(user.at("phone").is_null());
    CHECK(user.at("phoneVerified") == false);
    CHECK(caller.get("/v1/auth/mfa").json().at("recoveryCodesLeft") == 0);
    CHECK(caller.get("/v1/auth/identities").json().at("items").as_array().empty());
    CHECK(all_items(caller, "/v1/auth/mfa/devices").empty());
    CHECK(all_items(caller, "/v1/auth/sessions").size() == 1);
    world.enrol_totp(cto); // nothing is left of the stranger's app
    for (auto const* table : {"totp", "identities", "trusted_devices"}) {
        INFO(table);
        CHECK(world.postgres.query(std::string("SELECT count(*) FROM ") + table + " WHERE user_id = '" +
                                   cto.user_id + "'") == (std::string(table) == "totp" ? "1" : "0"));
    }
}

TEST_CASE("a reset gives a password to a user without one, who keeps the identity", "[email]")
{
    World const world;
    TrustedProvider const provider(world);
    world.set({{"identityProviders", {provider.setting()}}});
    auto const email = World::new_email();
    auto const made = sign_in_externally(world, provider.token(email));
    REQUIRE(made.status == 201);
    Account ada{.tenant = "demo-sandbox", .email = email, .password = new_password};
    ada.take(made);
    CHECK(mails_about(world, email, verification).empty()); // the provider verified the address
    CHECK(world.login(ada).status == 401);
    REQUIRE(reset(world, reset_token(world, email)).status == 200);
    CHECK(is_signed_out(world, ada));
    CHECK(world.login(ada).status == 200);
    auto const again = sign_in_externally(world, provider.token(email));
    CHECK(again.status == 200);
    CHECK(text(again.json().at("user"), "userId") == ada.user_id);
}
