#include "emails.hpp"
#include "factors.hpp"
#include "identity_provider.hpp"

#include <catch2/catch.hpp>

#include <set>

// The verification of email addresses, and what needs a verified address.

namespace {

namespace json = boost::json;

} // namespace

TEST_CASE("registration sends a verification email, and its token verifies the address", "[email]")
{
    World const world;
    auto const ada = world.new_account();
    auto const user = me(world, ada);
    CHECK(user.at("emailVerified") == false);
    CHECK(text(user, "status") == "active");
    CHECK(text(user, "createdAt").size() >= 20);
    CHECK(claims_of(ada.access_token).at("email_verified") == false);

    auto const mails = mails_about(world, ada.email);
    REQUIRE(mails.size() == 1);
    CHECK(mails[0].subject.find(verification) == 0);
    auto const token = mails[0].token;
    CHECK(token.size() == 43);
    auto const verified = post(world, "/v1/auth/email/verify", {{"token", token}});
    CHECK(verified.status == 200);
    CHECK(verified.body == R"({"emailVerified":true})");
    CHECK(me(world, ada).at("emailVerified") == true);
    CHECK(claims_of(text(refresh(world, ada).json(), "accessToken")).at("email_verified") == true);
    CHECK(outcome(post(world, "/v1/auth/email/verify", {{"token", token}})) == token_expired);
}

TEST_CASE("a verification email is sent again at most three times an hour", "[email]")
{
    World const world;
    auto const ada = world.new_account();
    auto const ask = [&](bool signed_in) {
        auto const r = signed_in ? world.as(ada).post("/v1/auth/email/verification", "{}")
                                 : post(world, "/v1/auth/email/verification", {{"email", ada.email}});
        CHECK(r.status == 202);
        CHECK(r.body == "{}");
    };
    ask(true);
    ask(false);
    ask(true);
    CHECK(mails_about(world, ada.email, verification).size() == 4); // with the registration's own email
    ask(false);
    ask(true);
    CHECK(mails_about(world, ada.email, verification).size() == 4);
    world.clock.advance(1h);
    ask(false);
    auto const mails = mails_about(world, ada.email, verification);
    REQUIRE(mails.size() == 5);
    std::set<std::string> tokens;
    for (auto const& mail : mails)
        tokens.insert(mail.token);
    CHECK(tokens.size() == 5);
    // Each of them works.
    CHECK(post(world, "/v1/auth/email/verify", {{"token", mails[2].token}}).status == 200);
}

TEST_CASE("a request for a verification email does not reveal whether the account exists", "[email]")
{
    World const world;
    auto const ada = world.new_account(), verified = world.new_account();
    world.verify_email(verified);
    auto const unknown = World::new_email();
    for (auto const& email : {ada.email, verified.email, unknown}) {
        auto const r = post(world, "/v1/auth/email/verification", {{"email", email}});
        CHECK(r.status == 202);
        CHECK(r.body == "{}");
    }
    CHECK(mails_about(world, ada.email).size() == 2);
    CHECK(mails_about(world, verified.email).size() == 1);
    CHECK(mails_about(world, unknown).empty());
    CHECK(testing::faults_of(post(world, "/v1/auth/email/verification", {{"email", "none"}})) ==
          "/email format");
    CHECK(post(world, "/v1/auth/email/verification", json::object()).status == 400);
}

TEST_CASE("with emailVerification required, an unverified user gets no tokens", "[email]")
{
    World const world;
    auto const before = world.new_account();
    world.set({{"emailVerification", "required"}});
    constexpr char const* refused = "403 EMAIL_NOT_VERIFIED";

    Account ada{.tenant = "demo-sandbox", .email = World::new_email(), .password = World::password};
    auto const registered =
        post(world, "/v1/auth/register", {{"email", ada.email}, {"password", ada.password}});
    CHECK(registered.status == 201);
    auto const answer = registered.json().as_object();
    CHECK(answer.size() == 1);
    CHECK(text(answer.at("user"), "email") == ada.email);
    CHECK(answer.at("user").at("emailVerified") == false);
    CHECK(registered.header("cache-control") == "no-store");
    CHECK(outcome(world.login(ada)) == refused);
    CHECK(outcome(log_in(world, ada.email, "not the password")) == "401 INVALID_CREDENTIALS");

    // A session that was opened before continues when the email is verified, with the same refresh token.
    CHECK(outcome(refresh(world, before)) == refused);
    CHECK(outcome(refresh(world, before)) == refused);
    CHECK(outcome(world.login(before)) == refused);
    world.verify_email(before);
    auto const next = refresh(world, before);
    CHECK(next.status == 200);
    CHECK(claims_of(text(next.json(), "accessToken")).at("email_verified") == true);

    // Without a session, the user can request another email.
    CHECK(post(world, "/v1/auth/email/verification", {{"email", ada.email}}).status == 202);
    CHECK(mails_about(world, ada.email, verification).size() == 2);
    world.verify_email(ada);
    CHECK(world.login(ada).status == 200);
}

TEST_CASE("with emailVerification required, an unverified user does not continue an open session", "[email]")
{
    World const world;
    auto const ada = world.new_account();
    world.set({{"emailVerification", "required"}});
    auto const reauthenticate = [&] {
        return world.as(ada).post("/v1/auth/reauthenticate", body({{"password", ada.password}}));
    };
    CHECK(outcome(reauthenticate()) == "403 EMAIL_NOT_VERIFIED");
    CHECK(outcome(refresh(world, ada)) == "403 EMAIL_NOT_VERIFIED");
    world.verify_email(ada);
    CHECK(reauthenticate().status == 200);
    CHECK(refresh(world, ada).status == 200);
}

TEST_CASE("with emailVerification required, an unverified user does not sign in with an identity", "[email]")
{
    World const world;
    TrustedProvider const provider(world);
    world.set({{"identityProviders", {provider.setting()}}});
    auto const ada = world.new_account();
    auto const email = World::new_email(), linking = provider.token(email);
    auto const linked =
        with_keys([&] { return world.as(ada).post("/v1/auth/identities", body({{"idToken", linking}})); });
    REQUIRE(linked.status == 201);
    world.set({{"emailVerification", "required"}});
    // The provider has verified the email of the identity, not that of the account.
    CHECK(outcome(sign_in_externally(world, provider.token(email))) == "403 EMAIL_NOT_VERIFIED");
    world.verify_email(ada);
    auto const signed_in = sign_in_externally(world, provider.token(email));
    REQUIRE(signed_in.status == 200);
    CHECK(text(signed_in.json().at("user"), "userId") == ada.user_id);
    CHECK(sign_in_externally(world, provider.token()).status == 201); // a new user, whose email is verified
}

TEST_CASE("an address to which no email can be sent is refused", "[email]")
{
    World const world;
    auto const ada = world.new_account();
    for (auto const& unsendable : {std::string("a..b@example.com"), std::string(65, 'a') + "@example.com"}) {
        INFO(unsendable);
        auto const registered =
            post(world, "/v1/auth/register", {{"email", unsendable}, {"password", World::password}});
        CHECK(outcome(registered) == "400 VALIDATION_ERROR");
        CHECK(testing::faults_of(registered) == "/email format");
        auto const created = world.as_master().post("/v1/members", body({{"email", unsendable}}));
        CHECK(outcome(created) == "400 VALIDATION_ERROR");
        CHECK(testing::faults_of(created) == "/email format");
        auto const moved = ask_to_change(world, ada, unsendable);
        CHECK(outcome(moved) == "400 VALIDATION_ERROR");
        CHECK(testing::faults_of(moved) == "/newEmail format");
    }
    CHECK(register_with(world, std::string(64, 'a') + "@example.com").user_id.size() == 36);
}

TEST_CASE("with emailVerification required, a reset of the password verifies the email", "[email]")
{
    World const world;
    world.set({{"emailVerification", "required"}});
    auto const email = World::new_email();
    REQUIRE(
        post(world, "/v1/auth/register", {{"email", email}, {"password", World::password}}).status == 201);
    REQUIRE(reset(world, reset_token(world, email)).status == 200);
    CHECK(log_in(world, email, new_password).status == 200);
}

TEST_CASE("only a user with a verified email becomes an admin or owner", "[email]")
{
    World const world;
    constexpr char const* refused = "409 EMAIL_NOT_VERIFIED";
    auto const owner = world.new_owner();
    CHECK(me(world, owner).at("emailVerified") == true); // the operator made this user
    CHECK(mails_about(world, owner.email, verification).empty());
    auto const ada = world.new_account();
    auto const promote = [&](char const* role) {
        return outcome(world.as(owner).patch("/v1/members/" + ada.user_id, body({{"role", role}})));
    };
    CHECK(promote("admin") == refused);
    CHECK(promote("owner") == refused);
    world.verify_email(ada);
    CHECK(promote("admin") == "200");
    CHECK(promote("owner") == "200");

    auto const create = [&](json::object document) {
        document["email"] = World::new_email();
        return outcome(world.as(owner).post("/v1/members", body(document)));
    };
    for (auto const* role : {"admin", "owner"}) {
        CHECK(create({{"role", role}}) == refused);
        CHECK(create({{"role", role}, {"emailVerified", false}}) == refused);
        CHECK(create({{"role", role}, {"emailVerified", true}}) == "201");
        CHECK(create({{"role", role}, {"invite", true}}) == "201");
    }
    CHECK(create({{"role", "user"}}) == "201");
}
