#include "factors.hpp"
#include "identity_provider.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

// Id tokens of identity providers: which are accepted, and the identities that are linked to accounts.

namespace {

namespace json = boost::json;

constexpr char const* refused = "401 INVALID_CREDENTIALS";

/// The sandbox of tenant demo, with an identity provider.
struct Trusting {
    World const world;
    TrustedProvider const provider{world};

    Trusting() { world.set({{"identityProviders", json::array{provider.setting()}}}); }

    testing::HttpResponse sign_in(std::string const& token, json::object more = {}) const
    {
        return sign_in_externally(world, token, std::move(more));
    }

    /// A new account of the provider's user with this email, signed in.
    Account new_user(std::string const& email = World::new_email()) const
    {
        Account account{.tenant = "demo-sandbox", .email = email};
        auto const r = sign_in(provider.token(email));
        INFO(r.body);
        REQUIRE(r.status == 201);
        account.take(r);
        return account;
    }

    testing::HttpResponse link(Account const& account, std::string const& token) const
    {
        return with_keys(
            [&] { return world.as(account).post("/v1/auth/identities", body({{"idToken", token}})); });
    }

    json::array identities_of(Account const& account) const
    {
        return world.as(account).get("/v1/auth/identities").json().at("items").as_array();
    }
};

std::string refresh(World const& world, Account const& account)
{
    return outcome(world.client().post("/v1/auth/refresh", body({{"refreshToken", account.refresh_token}})));
}

} // namespace

TEST_CASE("the first sign-in with an identity needs an email that the provider has verified", "[identities]")
{
    Trusting const at;
    auto const email = World::new_email();
    for (json::object const& changes :
        {json::object{{"email_verified", nullptr}}, json::object{{"email_verified", false}},
            json::object{{"email_verified", "false"}}, json::object{{"email_verified", 1}},
            json::object{{"email", nullptr}}, json::object{{"email", "no address"}}}) {
        INFO(json::serialize(changes));
        auto const r = at.sign_in(at.provider.token(email, changes));
        CHECK(outcome(r) == "400 VALIDATION_ERROR");
        CHECK(testing::faults_of(r) == "/idToken email");
    }
    auto const made = at.sign_in(at.provider.token(email, {{"email_verified", "true"}}));
    REQUIRE(made.status == 201);
    CHECK(made.json().at("user").at("emailVerified").as_bool());
    // A known identity signs in without these claims.
    CHECK(at.sign_in(at.provider.token(email, {{"email_verified", nullptr}, {"email", nullptr}})).status ==
          200);
    // An account with the same email is never linked at sign-in.
    auto const ada = at.world.new_account();
    CHECK(outcome(at.sign_in(at.provider.token(ada.email))) == "409 CONFLICT");
    CHECK(at.identities_of(ada).empty());
}

TEST_CASE(
    "an id token is accepted once, within 10 minutes, and with the nonce of the request", "[identities]")
{
    Trusting const at;
    auto const now = core::unix_seconds(at.world.clock.now());
    auto const email = World::new_email();
    auto const token = [&](json::object const& changes = {}) { return at.provider.token(email, changes); };

    SECTION("once, for all routes")
    {
        auto const used = token();
        auto ada = at.world.new_account();
        REQUIRE(at.sign_in(used).status == 201);
        CHECK(outcome(at.sign_in(used)) == refused);
        CHECK(outcome(at.link(ada, used)) == refused);
        // A refused request does not use up the token.
        auto const linked = at.provider.token();
        REQUIRE(at.link(ada, linked).status == 201);
        CHECK(outcome(at.sign_in(linked)) == refused);
        auto const unverified = at.provider.token("other@example.com", {{"email_verified", nullptr}});
        CHECK(at.sign_in(unverified).status == 400);
        CHECK(at.sign_in(unverified).status == 400);
    }
    SECTION("once, for requests at the same time")
    {
        REQUIRE(at.sign_in(token()).status == 201);
        auto const same = token();
        auto const got = at_once(
            6, [&](int) { return at.world.client().post("/v1/auth/external", body({{"idToken", same}})); });
        CHECK(got.at(200) == 1);
        CHECK(got.at(401) == 5);
    }
    SECTION("at most 10 minutes after it was issued, with 30 s of clock skew")
    {
        CHECK(outcome(at.sign_in(token({{"iat", now - 631}}))) == refused);
        CHECK(outcome(at.sign_in(token({{"iat", nullptr}}))) == refused);
        CHECK(outcome(at.sign_in(token({{"iat", now + 3600}}))) == refused);
        CHECK(at.sign_in(token({{"iat", now - 630}})).status == 201);
        auto const kept = token();
        at.world.clock.advance(10min + 31s);
        CHECK(outcome(at.sign_in(kept)) == refused);
    }
    SECTION("with the nonce of the request")
    {
        CHECK(outcome(at.sign_in(token(), {{"nonce", "n-1"}})) == refused);
        CHECK(outcome(at.sign_in(token({{"nonce", "n-2"}}), {{"nonce", "n-1"}})) == refused);
        CHECK(outcome(at.sign_in(token({{"nonce", 1}}), {{"nonce", "1"}})) == refused);
        CHECK(outcome(at.sign_in(token({{"nonce", "n-1"}}), {{"nonce", ""}})) == "400 VALIDATION_ERROR");
        CHECK(at.sign_in(token({{"nonce", "n-1"}}), {{"nonce", "n-1"}}).status == 201);
        CHECK(at.sign_in(token({{"nonce", "n-1"}})).status == 200); // the request has none
    }
    SECTION("of a provider and a client that the tenant has configured, with a valid signature")
    {
        CHECK(outcome(at.sign_in(token({{"aud", "other"}}))) == refused);
        CHECK(outcome(at.sign_in(token({{"iss", "https://other.example.com"}}))) == refused);
        CHECK(outcome(at.sign_in(token({{"exp", now - 60}}))) == refused);
        Provider const forger(at.world.clock);
        CHECK(outcome(at.sign_in(forger.token(email))) == refused);
        CHECK(at.sign_in(token()).status == 201);
    }
}

TEST_CASE("removing an identity provider ends its sessions at once", "[identities]")
{
    World const world;
    TrustedProvider const one(world, "https://one.example.com"), two(world, "https://two.example.com");
    world.set({{"identityProviders", json::array{one.setting(), two.setting()}}});
    auto const sign_in = [&](Provider const& provider, std::string const& email) {
        Account account{.tenant = "demo-sandbox", .email = email};
        auto const r = sign_in_externally(world, provider.token(email));
        INFO(r.body);
        REQUIRE(r.status / 100 == 2);
        account.take(r);
        return account;
    };
    auto const ada = sign_in(one, World::new_email()), bob = sign_in(two, World::new_email());
    auto const rita = world.new_account();
    auto const linked = World::new_email();
    REQUIRE(world.as(rita).post("/v1/auth/identities", body({{"idToken", one.token(linked)}})).status == 201);
    auto const elsewhere = sign_in(one, linked);
    CHECK(elsewhere.user_id == rita.user_id);
    auto const refreshed =
        world.client().post("/v1/auth/refresh", body({{"refreshToken", ada.refresh_token}}));
    REQUIRE(refreshed.status == 200);

    SECTION("also when only its client changes")
    {
        auto changed = one.setting();
        changed["audience"] = "other";
        REQUIRE(world.as_master()
                    .patch("/v1/settings", body({{"identityProviders", json::array{changed, two.setting()}}}))
                    .status == 200);
        CHECK(outcome(world.as(ada).get("/v1/auth/me")) == "401 UNAUTHORIZED");
    }
    SECTION("but not the sessions of other providers and of passwords")
    {
        REQUIRE(world.as_master()
                    .patch("/v1/settings", body({{"identityProviders", json::array{two.setting()}}}))
                    .status == 200);
        for (auto const* path : {"/v1/auth/me", "/v1/auth/sessions", "/v1/auth/mfa", "/v1/auth/identities"}) {
            CHECK(outcome(world.as(ada).get(path)) == "401 UNAUTHORIZED");
            CHECK(outcome(world.with(text(refreshed.json(), "accessToken")).get(path)) == "401 UNAUTHORIZED");
            CHECK(outcome(world.as(elsewhere).get(path)) == "401 UNAUTHORIZED");
            CHECK(world.as(bob).get(path).status == 200);
            CHECK(world.as(rita).get(path).status == 200);
        }
        auto after = ada;
        after.take(refreshed);
        CHECK(refresh(world, after) == "401 UNAUTHORIZED");
        CHECK(refresh(world, bob) == "200");
        CHECK(refresh(world, rita) == "200");
        world.set({{"brand", "Demo"}}); // waits until the service uses the settings
        CHECK(outcome(sign_in_externally(world, one.token(ada.email))) == refused);
        CHECK(sign_in_externally(world, two.token(bob.email)).status == 200);
    }
}

TEST_CASE("users link, list and unlink identities", "[identities]")
{
    Trusting const at;
    auto const ada = at.world.new_account();
    auto const email = World::new_email();
    auto const linked = at.link(ada, at.provider.token(email));
    REQUIRE(linked.status == 201);
    CHECK(text(linked.json(), "issuer") == "https://id.example.com");
    CHECK(text(linked.json(), "subject") == email);
    CHECK(text(linked.json(), "email") == email);
    CHECK(text(linked.json(), "createdAt").ends_with("Z"));
    REQUIRE(at.identities_of(ada).size() == 1);
    CHECK(at.identities_of(ada)[0] == linked.json());
    CHECK(at.world.as(ada).get("/v1/auth/identities").json().at("cursor").is_null());

    auto const signed_in = at.sign_in(at.provider.token(email));
    REQUIRE(signed_in.status == 200);
    CHECK(text(signed_in.json().at("user"), "userId") == ada.user_id);
    CHECK(text(signed_in.json().at("user"), "email") == ada.email); // the account keeps its email

    // An identity has one account.
    auto const bob = at.world.new_account();
    CHECK(outcome(at.link(bob, at.provider.token(email))) == "409 CONFLICT");
    CHECK(outcome(at.link(ada, at.provider.token(email))) == "409 CONFLICT");
    CHECK(outcome(at.link(bob, "nonsense")) == refused);
    CHECK(at.identities_of(bob).empty());

    // An identity without a verified email can be linked.
    auto const second =
        at.link(ada, at.provider.token("grace@example.com", {{"email_verified", nullptr}, {"sub", "grace"}}));
    REQUIRE(second.status == 201);
    CHECK(second.json().at("email").is_null());
    CHECK(at.identities_of(ada).size() == 2);

    auto const path = "/v1/auth/identities/" + text(linked.json(), "identityId");
    CHECK(at.world.as(bob).del(path).status == 404);
    CHECK(at.world.as(ada).del(path).body == R"({"deleted":true})");
    CHECK(at.world.as(ada).del(path).status == 404);
    CHECK(at.world.as(ada).del("/v1/auth/identities/nothing").status == 404);
    CHECK(at.identities_of(ada).size() == 1);
    auto const again = at.sign_in(at.provider.token(email)); // now it is another account
    CHECK(again.status == 201);
    CHECK(text(again.json().at("user"), "userId") != ada.user_id);
}

TEST_CASE("the last way to sign in cannot be unlinked", "[identities]")
{
    Trusting const at;
    auto ada = at.new_user();
    auto const path = "/v1/auth/identities/" + text(at.identities_of(ada).at(0), "identityId");
    CHECK(outcome(at.world.as(ada).del(path)) == "409 CONFLICT");
    CHECK(at.identities_of(ada).size() == 1);

    SECTION("but one of two identities can")
    {
        auto const email = World::new_email();
        REQUIRE(at.link(ada, at.provider.token(email)).status == 201);
        CHECK(at.world.as(ada).del(path).status == 200);
        ada.take(testing::require(200, at.sign_in(at.provider.token(email))));
        REQUIRE(at.identities_of(ada).size() == 1);
        auto const other = "/v1/auth/identities/" + text(at.identities_of(ada).at(0), "identityId");
        CHECK(outcome(at.world.as(ada).del(other)) == "409 CONFLICT");
    }
    SECTION("but the only identity can after the user has set a password by email")
    {
        auto anyone = at.world.client();
        REQUIRE(anyone.post("/v1/auth/password/forgot", body({{"email", ada.email}})).status == 202);
        auto const token = at.world.token_mailed_to(ada.email, "Reset your");
        REQUIRE(
            anyone.post("/v1/auth/password/reset", body({{"token", token}, {"newPassword", World::password}}))
                .status == 200);
        ada.password = World::password;
        ada.take(at.world.login(ada));
        CHECK(at.identities_of(ada).size() == 1); // the email was verified, so the identity is kept
        CHECK(at.world.as(ada).del(path).status == 200);
        CHECK(at.world.login(ada).status == 200);
    }
}

TEST_CASE("an identity of a removed provider is no way to sign in", "[identities]")
{
    World const world;
    TrustedProvider const one(world, "https://one.example.com"), two(world, "https://two.example.com");
    world.set({{"identityProviders", json::array{one.setting(), two.setting()}}});
    Account ada{.tenant = "demo-sandbox", .email = World::new_email()};
    ada.take(testing::require(201, sign_in_externally(world, one.token(ada.email))));
    auto caller = world.as(ada);
    auto const link = [&](std::string const& token) {
        return with_keys([&] { return caller.post("/v1/auth/identities", body({{"idToken", token}})); });
    };
    auto const first = text(caller.get("/v1/auth/identities").json().at("items").at(0), "identityId");
    auto const second = testing::require(201, link(two.token()));
    world.set({{"identityProviders", json::array{one.setting()}}});
    CHECK(outcome(caller.del("/v1/auth/identities/" + first)) == "409 CONFLICT");
    CHECK(caller.get("/v1/auth/identities").json().at("items").as_array().size() == 2);
    CHECK(caller.del("/v1/auth/identities/" + text(second.json(), "identityId")).status == 200);
    CHECK(outcome(caller.del("/v1/auth/identities/" + first)) == "409 CONFLICT");
}

TEST_CASE("unlinking an identity ends the sessions of its provider", "[identities]")
{
    Trusting const at;
    auto const ada = at.world.new_account();
    auto const email = World::new_email();
    auto const linked = at.link(ada, at.provider.token(email));
    REQUIRE(linked.status == 201);
    auto elsewhere = ada;
    elsewhere.take(testing::require(200, at.sign_in(at.provider.token(email))));
    CHECK(elsewhere.user_id == ada.user_id);
    auto const bob = at.new_user();

    auto const path = "/v1/auth/identities/" + text(linked.json(), "identityId");
    REQUIRE(at.world.as(ada).del(path).status == 200);
    CHECK(outcome(at.world.as(elsewhere).get("/v1/auth/me")) == "401 UNAUTHORIZED");
    CHECK(refresh(at.world, elsewhere) == "401 UNAUTHORIZED");
    CHECK(at.world.as(ada).get("/v1/auth/me").status == 200);
    CHECK(refresh(at.world, ada) == "200");
    CHECK(at.world.as(bob).get("/v1/auth/me").status == 200); // another user of the provider
}

TEST_CASE("removing an identity provider ends sessions whose user has no identity any more", "[identities]")
{
    Trusting const at;
    auto const ada = at.new_user();
    // Earlier versions kept the session when its identity was unlinked.
    at.world.postgres.query("DELETE FROM identities WHERE user_id = '" + ada.user_id + "'");
    REQUIRE(at.world.as(ada).get("/v1/auth/me").status == 200);
    REQUIRE(at.world.as_master().patch("/v1/settings", body({{"identityProviders", json::array()}})).status ==
            200);
    CHECK(outcome(at.world.as(ada).get("/v1/auth/me")) == "401 UNAUTHORIZED");
    CHECK(refresh(at.world, ada) == "401 UNAUTHORIZED");
}

TEST_CASE("a user of an identity provider passes the same checks as a user with a password", "[identities]")
{
    Trusting const at;
    auto const email = World::new_email();
    auto const ada = at.new_user(email);
    SECTION("a second factor of the linked account is required")
    {
        auto bob = at.world.new_account_with_totp();
        at.world.reauthenticate(bob);
        auto const his = World::new_email();
        REQUIRE(at.link(bob, at.provider.token(his)).status == 201);
        auto const asked = at.sign_in(at.provider.token(his));
        CHECK(outcome(asked) == "403 mfa_required");
        auto const passed =
            at.world.verify(text(asked.json(), "mfa_token"), "totp", at.world.totp_code(bob, 1));
        REQUIRE(passed.status == 200);
        auto const claims = claims_of(text(passed.json(), "accessToken"));
        CHECK(text(claims, "acr") == "aal2");
        CHECK(json::serialize(claims.at("amr")) == R"(["fed","otp","mfa"])");
    }
    SECTION("a disabled user cannot sign in")
    {
        REQUIRE(at.world.as_master().patch("/v1/members/" + ada.user_id, R"({"status":"disabled"})").status ==
                200);
        CHECK(outcome(at.sign_in(at.provider.token(email))) == "403 ACCOUNT_DISABLED");
    }
    SECTION("with `signUp` closed, only known identities sign in")
    {
        at.world.set({{"signUp", "closed"}});
        CHECK(outcome(at.sign_in(at.provider.token())) == "403 SIGN_UP_CLOSED");
        CHECK(at.sign_in(at.provider.token(email)).status == 200);
    }
}
