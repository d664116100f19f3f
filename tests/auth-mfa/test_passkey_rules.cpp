#include "passkeys.hpp"

#include <catch2/catch.hpp>

// The settings and limits that apply to passkeys.

TEST_CASE("a passkey works for the RP id for which it was made", "[passkeys]")
{
    World const world;
    Owner ada(world);
    world.set({{"passkeyRpId", "example.com"}});
    auto const origin =
        std::string(world.as_master().get("/v1/settings").json().at("allowedOrigins").at(0).as_string());

    // Its page can still use it, and the user's options name its RP id.
    auto const old_options = request_options(world.as(ada.account));
    CHECK(text(old_options, "rpId") == "demo-sandbox.auth.localhost");
    ada.account.take(testing::require(200, send_assertion(world, ada.phone.get(old_options))));
    CHECK(text(request_options(world.client()), "rpId") == "example.com");

    // New passkeys are for the new one.
    Authenticator laptop("example.com", origin);
    auto const creation = creation_options(world, ada.account.access_token);
    CHECK(text(creation.at("rp"), "id") == "example.com");
    CHECK(creation.at("excludeCredentials").as_array().empty());
    auto const made = send_registration(world, ada.account.access_token, laptop.create(creation), "Laptop");
    INFO(made.body);
    REQUIRE(made.status == 201);
    CHECK(sign_in_with(world, laptop).status == 200);
    CHECK(outcome(sign_in_with(world, laptop, {.rp_id = "demo-sandbox.auth.localhost"})) == refused_passkey);
    auto const both = request_options(world.as(ada.account));
    CHECK(text(both, "rpId") == "example.com");
    CHECK(both.at("allowCredentials").as_array().size() == 1);

    world.set({{"passkeyRpId", nullptr}});
    CHECK(text(request_options(world.client()), "rpId") == "demo-sandbox.auth.localhost");
    CHECK(sign_in_with(world, ada.phone).status == 200);
}

TEST_CASE("accounts that may not sign in are refused after a right passkey", "[passkeys]")
{
    World const world;
    Owner ada(world);
    auto const status = [&](char const* name) {
        return world.as_master().patch("/v1/members/" + ada.account.user_id, body({{"status", name}})).status;
    };
    CHECK(status("disabled") == 200);
    CHECK(outcome(sign_in_with(world, ada.phone)) == "403 ACCOUNT_DISABLED");
    CHECK(outcome(sign_in_with(world, ada.phone, {.wrong_signature = true})) == refused_passkey);
    CHECK(results_of(world, ada.account, "sign_in").at(1) == "account_disabled");
    CHECK(status("active") == 200);
    CHECK(sign_in_with(world, ada.phone).status == 200);
    world.set({{"emailVerification", "required"}});
    CHECK(outcome(sign_in_with(world, ada.phone)) == "403 EMAIL_NOT_VERIFIED");
    world.set({{"emailVerification", "optional"}, {"mfaPolicy", "required"}});
    CHECK(sign_in_with(world, ada.phone).status == 200);
}

TEST_CASE("refused passkeys count as wrong sign-ins of the network", "[passkeys]")
{
    World world;
    world.one_network = true;
    Owner ada(world);
    auto client = world.client(); // one address
    auto const attempt = [&](bool wrong) {
        auto const options = client.post("/v1/auth/passkeys/challenge", "{}").json().as_object();
        return outcome(client.post("/v1/auth/login/passkey",
            body({{"credential", ada.phone.get(options, {.wrong_signature = wrong})}})));
    };
    for (int i = 0; i < 100; ++i)
        REQUIRE(attempt(true) == refused_passkey);
    CHECK(attempt(false) == "429 RATE_LIMITED");
    CHECK(world.login(ada.account, client).status == 429); // the limit is that of passwords
    world.clock.advance(16min);
    for (int i = 0; i < 3; ++i)
        CHECK(attempt(false) == "200");
}

TEST_CASE("a network gets 1,000 challenges in 5 minutes", "[passkeys]")
{
    World const world;
    auto client = world.client();
    for (int i = 0; i < 1'000; ++i)
        REQUIRE(client.post("/v1/auth/passkeys/challenge", "{}").status == 200);
    auto const refused = client.post("/v1/auth/passkeys/challenge", "{}");
    CHECK(outcome(refused) == "429 RATE_LIMITED");
    CHECK_FALSE(refused.header("retry-after").empty());
    CHECK(world.client().post("/v1/auth/passkeys/challenge", "{}").status == 200);
    world.clock.advance(6min);
    CHECK(client.post("/v1/auth/passkeys/challenge", "{}").status == 200);
}

TEST_CASE("a user who must enrol a factor may enrol a passkey", "[passkeys]")
{
    World const world;
    auto ada = world.new_account();
    world.set({{"mfaPolicy", "required"}});
    auto const asked = world.login(ada);
    CHECK(methods_of(asked) == R"(["sms","totp","passkey"])");
    auto const token = text(asked.json(), "enrollment_token");
    auto phone = new_phone_with_passkeys();
    auto const r = send_registration(world, token, phone.create(creation_options(world, token)));
    INFO(r.body);
    REQUIRE(r.status == 201);
    CHECK(r.header("cache-control") == "no-store");
    CHECK(strength_of(r) == R"(aal2 ["pwd","hwk","mfa"])");
    auto const made = r.json();
    CHECK(made.at("recoveryCodes").as_array().size() == 10);
    CHECK(text(made.at("user"), "userId") == ada.user_id);
    CHECK(text(made, "name") == "Phone");
    CHECK(passkeys_of(world, text(made, "accessToken")).size() == 1);
    CHECK(outcome(world.with(token).post("/v1/auth/passkeys/options", "{}")) == "401 UNAUTHORIZED");
    CHECK(outcome(world.login(ada)) == "403 mfa_required");
    CHECK(sign_in_with(world, phone).status == 200);
}

TEST_CASE("with the policy `required_for_staff`, a passkey is the factor of an admin", "[passkeys]")
{
    World const world;
    auto const owner = world.new_owner();
    auto admin = world.new_member(owner, "admin");
    world.set({{"mfaPolicy", "required_for_staff"}});
    auto const asked = world.login(admin);
    REQUIRE(outcome(asked) == "403 mfa_enrollment_required");
    CHECK(methods_of(asked) == R"(["sms","totp","passkey"])");
    auto const token = text(asked.json(), "enrollment_token");
    auto phone = new_phone_with_passkeys();
    auto const enrolled =
        testing::require(201, send_registration(world, token, phone.create(creation_options(world, token))));
    CHECK(strength_of(enrolled) == R"(aal2 ["pwd","hwk","mfa"])");
    CHECK(outcome(world.login(admin)) == "403 mfa_required");
    admin.take(testing::require(200, sign_in_with(world, phone)));
    CHECK(world.as(admin).get("/v1/members").status == 200);
    // Without it, the policy asks for a factor again.
    auto const passkey_id = text(enrolled.json(), "passkeyId");
    CHECK(remove_passkey(world, admin.access_token, passkey_id).status == 200);
    CHECK(outcome(world.login(admin)) == "403 mfa_enrollment_required");
}
