#include "emails.hpp"
#include "factors.hpp"
#include "identity_provider.hpp"
#include "routes.hpp"

#include <catch2/catch.hpp>

#include <optional>
#include <regex>
#include <utility>

// The setting mfaPolicy, and the tokens with which users enrol the factor that it requires.

namespace {

namespace json = boost::json;

constexpr char const* enrolment_required = "403 mfa_enrollment_required";
constexpr char const* unauthorized = "401 UNAUTHORIZED";

/// Signs in with the password and returns the enrollment_token.
std::string told_to_enrol(World const& world, Account const& account)
{
    auto const r = world.login(account);
    INFO(r.body);
    REQUIRE(outcome(r) == enrolment_required);
    return text(r.json(), "enrollment_token");
}

/// Enrols an app with the enrollment_token, which must be possible. Returns the response to the confirmation.
testing::HttpResponse enrol_app(World const& world, Account& account, std::string const& token)
{
    auto enrolling = world.with(token);
    auto const setup = testing::require(200, enrolling.post("/v1/auth/mfa/totp/setup", "{}"));
    account.totp_secret = text(setup.json(), "secret");
    return testing::require(
        200, enrolling.post("/v1/auth/mfa/totp/confirm", code_body(world.totp_code(account))));
}

std::string amr_of(testing::HttpResponse const& signed_in)
{
    return json::serialize(claims_of(text(signed_in.json(), "accessToken")).at("amr"));
}

} // namespace

TEST_CASE("with the policy `required`, a user without a factor enrols one at sign-in", "[policy]")
{
    World const world;
    auto const ada = world.new_account();
    auto const bob = world.new_account_with_totp();
    world.set({{"mfaPolicy", "required"}});

    auto const asked = world.login(ada);
    CHECK(outcome(asked) == enrolment_required);
    CHECK(asked.header("cache-control") == "no-store");
    CHECK(json::serialize(asked.json().at("available_methods")) == R"(["sms","totp","passkey"])");
    CHECK_FALSE(asked.json().as_object().contains("accessToken"));
    auto const token = text(asked.json(), "enrollment_token");
    CHECK(text(claims_of(token), "aud") == "mfa-enrollment");
    CHECK(outcome(world.login(bob)) == "403 mfa_required");

    SECTION("with an app")
    {
        auto enrolling = world.with(token);
        auto const setup = enrolling.post("/v1/auth/mfa/totp/setup", "{}");
        REQUIRE(setup.status == 200);
        auto hers = ada;
        hers.totp_secret = text(setup.json(), "secret");
        CHECK(outcome(enrolling.post(
                  "/v1/auth/mfa/totp/confirm", code_body(other_code(world.totp_code(hers))))) == invalid);
        auto const done = enrolling.post("/v1/auth/mfa/totp/confirm", code_body(world.totp_code(hers)));
        REQUIRE(done.status == 200);
        CHECK(done.header("cache-control") == "no-store");
        auto const answer = done.json();
        CHECK(answer.at("recoveryCodes").as_array().size() == 10);
        CHECK(answer.at("expiresIn") == 900);
        CHECK(text(answer.at("user"), "userId") == ada.user_id);
        CHECK(text(claims_of(text(answer, "accessToken")), "acr") == "aal2");
        CHECK(amr_of(done) == R"(["pwd","otp","mfa"])");
        hers.take(done);
        CHECK(world.as(hers).get("/v1/auth/me").status == 200);
        CHECK(world.client().post("/v1/auth/refresh", body({{"refreshToken", hers.refresh_token}})).status ==
              200);
        // The token is used up.
        CHECK(outcome(enrolling.post("/v1/auth/mfa/totp/setup", "{}")) == unauthorized);
        CHECK(outcome(enrolling.post("/v1/auth/mfa/sms/setup", setup_body(World::new_phone()))) ==
              unauthorized);
        CHECK(world.verify(world.challenged(hers), "totp", world.totp_code(hers, 1)).status == 200);
    }
    SECTION("with a phone")
    {
        auto enrolling = world.with(token);
        auto const phone = World::new_phone();
        REQUIRE(enrolling.post("/v1/auth/mfa/sms/setup", setup_body(phone)).status == 200);
        auto const right = world.code_sent_to(phone);
        auto const done = enrolling.post("/v1/auth/mfa/sms/confirm", code_body(right));
        REQUIRE(done.status == 200);
        CHECK(amr_of(done) == R"(["pwd","sms","mfa"])");
        CHECK(done.json().at("recoveryCodes").as_array().size() == 10);
        CHECK(outcome(enrolling.post("/v1/auth/mfa/sms/confirm", code_body(right))) == unauthorized);
    }
}

TEST_CASE("an enrolment token is accepted only where a factor is enrolled", "[policy]")
{
    World const world;
    auto const ada = world.new_account();
    world.set({{"mfaPolicy", "required"}});
    auto const token = told_to_enrol(world, ada);
    auto enrolling = world.with(token);

    int refused = 0;
    for (auto const& route : auth_mfa::routes) {
        bool const ignores_credentials = route.access == core::Access::anonymous;
        if (ignores_credentials || core::allows(route.access, core::Access::enrolment)) continue;
        std::string const method(http::to_string(route.method));
        auto const path = std::regex_replace(std::string(route.path), std::regex(R"(\{\w+\})"), "x");
        INFO(method << ' ' << path);
        auto const request = method == "GET" ? std::nullopt : std::optional<std::string>(std::in_place, "{}");
        auto const response = enrolling.request(method, path, {}, request);
        bool const is_oauth = route.options.error_response != nullptr;
        CHECK(outcome(response) == (is_oauth ? "401 invalid_token" : unauthorized));
        ++refused;
    }
    CHECK(refused > 40);
    for (auto const* elsewhere : {"demo", "other-sandbox"})
        CHECK(outcome(world.with(token, elsewhere).post("/v1/auth/mfa/totp/setup", "{}")) == unauthorized);
    CHECK(enrolling.post("/v1/auth/mfa/totp/setup", "{}").status == 200);
}

TEST_CASE("an enrolment token ends", "[policy]")
{
    World const world;
    auto const ada = world.new_account(); // her session stays open when the policy changes
    world.set({{"mfaPolicy", "required"}});
    auto enrolling = world.with(told_to_enrol(world, ada));
    auto const set_up = [&] { return outcome(enrolling.post("/v1/auth/mfa/totp/setup", "{}")); };
    REQUIRE(set_up() == "200");

    SECTION("after 10 minutes, with 30 s of clock skew")
    {
        world.clock.advance(10min + 29s); // it needs no fresh authentication
        CHECK(set_up() == "200");
        world.clock.advance(1s);
        CHECK(set_up() == unauthorized);
    }
    SECTION("when the password changes")
    {
        REQUIRE(world.as(ada)
                    .post("/v1/auth/password",
                        body({{"currentPassword", ada.password}, {"newPassword", "another good one"}}))
                    .status == 200);
        CHECK(set_up() == unauthorized);
    }
    SECTION("when a factor is enrolled with another token")
    {
        auto hers = ada;
        world.enrol_totp(hers);
        CHECK(set_up() == unauthorized);
        CHECK(outcome(enrolling.post("/v1/auth/mfa/totp/confirm", code_body(world.totp_code(hers, 1)))) ==
              unauthorized);
    }
    SECTION("when the account is disabled")
    {
        REQUIRE(
            world.as_master().patch("/v1/members/" + ada.user_id, R"({"status":"disabled"})").status == 200);
        CHECK(set_up() == unauthorized);
    }
}

TEST_CASE(
    "the policy `required` applies to registrations, and not to users of identity providers", "[policy]")
{
    World const world;
    TrustedProvider const provider(world);
    world.set({{"mfaPolicy", "required"}, {"identityProviders", json::array{provider.setting()}}});
    auto const email = World::new_email();
    auto anyone = world.client();
    auto const made = anyone.post("/v1/auth/register", credentials(email, World::password));
    CHECK(outcome(made) == enrolment_required);
    CHECK(world.with(text(made.json(), "enrollment_token")).post("/v1/auth/mfa/totp/setup", "{}").status ==
          200);
    CHECK(outcome(anyone.post("/v1/auth/register", credentials(email, World::password))) == "409 CONFLICT");
    CHECK(outcome(anyone.post("/v1/auth/login", credentials(email, World::password))) == enrolment_required);

    auto const signed_in = sign_in_externally(world, provider.token());
    CHECK(signed_in.status == 201);
    CHECK(signed_in.json().as_object().contains("refreshToken"));
}

TEST_CASE("with the policy `required`, a user with a password who signs in with an identity enrols a factor",
    "[policy]")
{
    World const world;
    TrustedProvider const provider(world, "https://id.example.com/" + std::string(400, 'r')); // a realm
    world.set({{"identityProviders", json::array{provider.setting()}}});
    auto ada = world.new_account();
    auto const email = World::new_email(), linking = provider.token(email);
    auto const linked =
        with_keys([&] { return world.as(ada).post("/v1/auth/identities", body({{"idToken", linking}})); });
    REQUIRE(linked.status == 201);
    world.set({{"mfaPolicy", "required"}});

    auto const asked = sign_in_externally(world, provider.token(email));
    CHECK(outcome(asked) == enrolment_required);
    auto const done = enrol_app(world, ada, text(asked.json(), "enrollment_token"));
    CHECK(amr_of(done) == R"(["fed","otp","mfa"])"); // no `pwd`: the user has not sent the password
    CHECK(text(claims_of(text(done.json(), "accessToken")), "acr") == "aal2");
    ada.take(done);
    CHECK(text(me(world, ada), "email") == ada.email);

    // The session came from the provider.
    REQUIRE(
        world.as_master().patch("/v1/settings", body({{"identityProviders", json::array()}})).status == 200);
    CHECK(outcome(world.as(ada).get("/v1/auth/me")) == unauthorized);
    CHECK(outcome(refresh(world, ada)) == unauthorized);
}

TEST_CASE("an enrolment after a sign-in with a removed provider stores no factor", "[policy]")
{
    World const world;
    TrustedProvider const provider(world);
    world.set({{"identityProviders", json::array{provider.setting()}}});
    auto ada = world.new_account();
    auto const email = World::new_email(), linking = provider.token(email);
    REQUIRE(with_keys([&] {
        return world.as(ada).post("/v1/auth/identities", body({{"idToken", linking}}));
    }).status == 201);
    world.set({{"mfaPolicy", "required"}});
    auto enrolling =
        world.with(text(sign_in_externally(world, provider.token(email)).json(), "enrollment_token"));
    auto const setup = testing::require(200, enrolling.post("/v1/auth/mfa/totp/setup", "{}"));
    ada.totp_secret = text(setup.json(), "secret");
    world.set({{"identityProviders", json::array()}});
    CHECK(outcome(enrolling.post("/v1/auth/mfa/totp/confirm", code_body(world.totp_code(ada)))) ==
          unauthorized);
    CHECK(outcome(world.login(ada)) == enrolment_required); // the user can still enrol
}

TEST_CASE("with the policy `required`, an invited user enrols a factor before the first session", "[policy]")
{
    World const world;
    world.set({{"mfaPolicy", "required"}});
    Account ada{.tenant = "demo-sandbox", .email = World::new_email(), .password = new_password};
    auto const token = invite(world, ada.email);
    auto const accepted = accept(world, token);
    CHECK(outcome(accepted) == enrolment_required);
    CHECK(outcome(accept(world, token)) == token_expired);
    ada.take(enrol_app(world, ada, text(accepted.json(), "enrollment_token")));
    auto const user = me(world, ada);
    CHECK(text(user, "email") == ada.email);
    CHECK(text(user, "status") == "active");
    CHECK(user.at("emailVerified") == true);
    CHECK(world.challenged(ada).size() > 20);
}

TEST_CASE("with emailVerification required, too, a new user verifies the email before enrolling a factor",
    "[policy]")
{
    World const world;
    world.set({{"mfaPolicy", "required"}, {"emailVerification", "required"}});
    Account const ada{.tenant = "demo-sandbox", .email = World::new_email(), .password = World::password};
    auto const made = post(world, "/v1/auth/register", {{"email", ada.email}, {"password", ada.password}});
    CHECK(made.status == 201);
    auto const answer = made.json().as_object();
    CHECK(answer.size() == 1);
    CHECK(text(answer.at("user"), "email") == ada.email);
    CHECK(outcome(world.login(ada)) == "403 EMAIL_NOT_VERIFIED");
    world.verify_email(ada);
    CHECK(outcome(world.login(ada)) == enrolment_required);
}

TEST_CASE("with the policy `required_for_staff`, only admins and owners must have a factor", "[policy]")
{
    World const world;
    auto const owner = world.new_owner();
    auto const admin = world.new_member(owner, "admin");
    auto const user = world.new_account();
    world.set({{"mfaPolicy", "required_for_staff"}});
    CHECK(outcome(world.login(owner)) == enrolment_required);
    CHECK(outcome(world.login(admin)) == enrolment_required);
    CHECK(world.login(user).status == 200);
    CHECK(world.new_account().user_id.size() == 36);
    CHECK(outcome(world.as_master().patch("/v1/settings", R"({"mfaPolicy":"sometimes"})")) ==
          "400 VALIDATION_ERROR");
    world.set({{"mfaPolicy", nullptr}});
    CHECK(world.login(owner).status == 200);
}
