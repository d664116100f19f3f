#include "emails.hpp"
#include "identity_provider.hpp"
#include "passkeys.hpp"

#include <catch2/catch.hpp>

// Removal of passkeys by the user, by staff and by resets.

namespace {

namespace json = boost::json;

} // namespace

TEST_CASE("a session that has just registered the only passkey may remove it again", "[passkeys]")
{
    World const world;
    auto ada = world.new_account(), elsewhere = ada;
    elsewhere.take(world.login(ada)); // with the password alone
    auto phone = new_phone_with_passkeys();
    auto const made = register_passkey(world, ada, phone);
    CHECK(outcome(remove_passkey(world, elsewhere.access_token, text(made, "passkeyId"))) == not_fresh);
    CHECK(remove_passkey(world, ada.access_token, "0190a5d2-0000-7000-8000-0000000000ff").status == 404);
    CHECK(remove_passkey(world, ada.access_token, text(made, "passkeyId")).status == 200);
    CHECK(passkeys_of(world, ada.access_token).empty());
    CHECK(world.as(ada).get("/v1/auth/mfa").json().at("recoveryCodesLeft") == 0); // with the last factor
    CHECK(outcome(sign_in_with(world, phone)) == refused_passkey);
    CHECK(world.login(ada).status == 200);
    // The removal is recorded.
    CHECK(results_of(world, ada, "factor_removed").size() == 1);
    // With time, the authentication is not fresh any more.
    auto const again = register_passkey(world, ada, phone = new_phone_with_passkeys());
    world.clock.advance(too_long);
    CHECK(outcome(remove_passkey(world, ada.access_token, text(again, "passkeyId"))) == not_fresh);
}

TEST_CASE("the removal of an older passkey needs a factor and ends other sessions", "[passkeys]")
{
    World const world;
    auto ada = world.new_account();
    auto phone = new_phone_with_passkeys(), laptop = new_phone_with_passkeys();
    auto const first = register_passkey(world, ada, phone);
    auto strong = ada;
    strong.access_token = strong_token(world, phone);
    register_passkey(world, strong, laptop, "Laptop");
    // A browser that the account trusts signs in without the factor.
    world.clock.advance(1s);
    auto const trusting = world.client().post(
        "/v1/auth/mfa/verify", body({{"mfa_token", world.challenged(ada)}, {"method", "recovery_code"},
                                   {"code", ada.recovery_codes.at(0)}, {"trustDevice", true}}));
    REQUIRE(trusting.status == 200);
    auto trusted = world.client();
    trusted.set("Cookie", device_cookie_of(trusting));
    auto const weak = world.login(ada, trusted);
    REQUIRE(strength_of(weak) == R"(aal1 ["pwd"])");
    auto const weak_token = text(weak.json(), "accessToken");
    auto const refused = remove_passkey(world, weak_token, text(first, "passkeyId"));
    CHECK(outcome(refused) == not_fresh);
    CHECK(methods_of(refused) == R"(["passkey","recovery_code"])");
    // Other users and sessions without the right id do not find it.
    CHECK(remove_passkey(world, world.new_account().access_token, text(first, "passkeyId")).status == 404);

    auto const token = strong_token(world, laptop);
    auto const waiting = world.challenged(ada);
    CHECK(remove_passkey(world, token, text(first, "passkeyId")).status == 200);
    CHECK(remove_passkey(world, token, text(first, "passkeyId")).status == 404);
    CHECK(world.with(token).get("/v1/auth/me").status == 200);
    CHECK(world.with(weak_token).get("/v1/auth/me").status == 401);
    CHECK(world.login(ada, trusted).status == 403); // trusted no more
    CHECK(outcome(world.verify(waiting, "recovery_code", ada.recovery_codes.at(1))) == expired);
    auto const mfa = world.with(token).get("/v1/auth/mfa").json();
    CHECK(mfa.at("factors") == json::array{"passkey"});
    CHECK(mfa.at("recoveryCodesLeft") == 9);
    CHECK(outcome(sign_in_with(world, phone)) == refused_passkey);
    CHECK(sign_in_with(world, laptop).status == 200);
}

TEST_CASE("the last way to sign in cannot be removed", "[passkeys]")
{
    World const world;
    TrustedProvider const provider(world);
    world.set({{"identityProviders", {provider.setting()}}});
    auto const email = World::new_email();
    Account ada{.tenant = "demo-sandbox", .email = email};
    ada.take(testing::require(201, sign_in_externally(world, provider.token(email))));
    auto phone = new_phone_with_passkeys();
    auto const made = register_passkey(world, ada, phone); // needs no password
    ada.access_token = strong_token(world, phone);
    auto const identity = world.as(ada).get("/v1/auth/identities").json().at("items").at(0);
    auto const unlinked = world.as(ada).del("/v1/auth/identities/" + text(identity, "identityId"));
    CHECK(unlinked.status == 200); // the passkey remains
    CHECK(outcome(remove_passkey(world, ada.access_token, text(made, "passkeyId"))) == "409 CONFLICT");
    CHECK(passkeys_of(world, ada.access_token).size() == 1);
    auto laptop = new_phone_with_passkeys();
    auto const other = register_passkey(world, ada, laptop);
    CHECK(remove_passkey(world, ada.access_token, text(made, "passkeyId")).status == 200);
    CHECK(outcome(remove_passkey(world, ada.access_token, text(other, "passkeyId"))) == "409 CONFLICT");
    // A user with a passkey has accepted the account, and needs no invitation.
    auto master = world.as_master();
    REQUIRE(master.patch("/v1/members/" + ada.user_id, body({{"status", "disabled"}})).status == 200);
    auto const enabled = master.patch("/v1/members/" + ada.user_id, body({{"status", "active"}}));
    CHECK(text(enabled.json(), "status") == "active");
    CHECK(sign_in_with(world, laptop).status == 200);
}

TEST_CASE("a passkey for a former RP id is no way to sign in", "[passkeys]")
{
    World const world;
    TrustedProvider const provider(world);
    world.set({{"identityProviders", {provider.setting()}}});
    Account ada{.tenant = "demo-sandbox", .email = World::new_email()};
    ada.take(testing::require(201, sign_in_externally(world, provider.token(ada.email))));
    auto phone = new_phone_with_passkeys();
    auto const former = text(register_passkey(world, ada, phone), "passkeyId");
    ada.access_token = strong_token(world, phone);
    auto const linked = world.as(ada).get("/v1/auth/identities").json().at("items").at(0);
    auto const unlink = [&] {
        return outcome(world.as(ada).del("/v1/auth/identities/" + text(linked, "identityId")));
    };
    auto const remove = [&](std::string const& passkey_id) {
        return outcome(remove_passkey(world, ada.access_token, passkey_id));
    };
    world.set({{"passkeyRpId", "example.com"}});
    CHECK(unlink() == "409 CONFLICT");

    SECTION("so it can be removed, and the identity cannot")
    {
        CHECK(remove(former) == "200");
        CHECK(unlink() == "409 CONFLICT");
    }
    SECTION("but the identity can be removed after a passkey for the present RP id is registered")
    {
        auto const origins = world.as_master().get("/v1/settings").json().at("allowedOrigins");
        Authenticator laptop("example.com", std::string(origins.at(0).as_string()));
        auto const present = text(register_passkey(world, ada, laptop), "passkeyId");
        CHECK(unlink() == "200");
        CHECK(remove(present) == "409 CONFLICT");
        CHECK(passkeys_of(world, ada.access_token).size() == 2);
        CHECK(remove(former) == "200");
        CHECK(remove(present) == "409 CONFLICT");
        CHECK(sign_in_with(world, laptop).status == 200);
    }
    SECTION("but it is one while the tenant has this RP id, and the only one is kept")
    {
        world.set({{"passkeyRpId", nullptr}});
        CHECK(unlink() == "200");
        world.set({{"passkeyRpId", "example.com"}});
        CHECK(remove(former) == "409 CONFLICT");
        CHECK(passkeys_of(world, ada.access_token).size() == 1);
        REQUIRE(reset(world, reset_token(world, ada.email)).status == 200);
        ada.password = new_password;
        ada.take(world.verify(world.challenged(ada), "recovery_code", ada.recovery_codes.at(0)));
        CHECK(remove(former) == "200"); // the password remains
        CHECK(world.login(ada).status == 200);
    }
}

TEST_CASE("a reset of the factors removes passkeys", "[passkeys]")
{
    World const world;
    auto const owner = world.new_owner();
    auto ada = world.new_account();
    auto phone = new_phone_with_passkeys();
    register_passkey(world, ada, phone);
    SECTION("by staff")
    {
        CHECK(world.as(owner).del("/v1/members/" + ada.user_id + "/mfa").status == 200);
    }
    SECTION("by an email, of an account whose email was not verified")
    {
        CHECK(reset(world, reset_token(world, ada.email)).status == 200);
        ada.password = new_password;
    }
    CHECK(outcome(sign_in_with(world, phone)) == refused_passkey);
    auto const again = world.login(ada);
    REQUIRE(again.status == 200); // no second factor
    auto const token = text(again.json(), "accessToken");
    CHECK(passkeys_of(world, token).empty());
    CHECK(results_of(world, ada, "factor_removed").size() == 1);
}

TEST_CASE("a registration during the deletion of the account leaves nothing", "[passkeys]")
{
    World const world;
    for (int round = 0; round < 5; ++round) {
        auto const ada = world.new_account();
        auto phone = new_phone_with_passkeys();
        auto const credential = phone.create(creation_options(world, ada.access_token));
        auto const statuses = at_once(2, [&](int n) {
            return n == 0 ? send_registration(world, ada.access_token, credential)
                          : world.as_master().del("/v1/members/" + ada.user_id);
        });
        INFO(round);
        CHECK(statuses.at(200) == 1);
        CHECK(world.postgres.query("SELECT count(*) FROM passkeys") == "0");
        CHECK(outcome(sign_in_with(world, phone)) == refused_passkey);
    }
}
