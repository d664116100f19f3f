#include "factors.hpp"
#include "identity_provider.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

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
    CHECK(json::serialize(asked.json().at("available_methods")) == R"(["sms","totp"])");
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

    struct Route {
        char const* method;
        char const* path;
        char const* request = nullptr;
    };

    for (auto const& route :
        {Route{"GET", "/v1/auth/me"}, Route{"GET", "/v1/auth/activity"}, Route{"GET", "/v1/auth/sessions"},
            Route{"GET", "/v1/auth/identities"}, Route{"GET", "/v1/auth/mfa"},
            Route{"GET", "/v1/auth/mfa/devices"}, Route{"DELETE", "/v1/auth/mfa/devices"},
            Route{"DELETE", "/v1/auth/mfa/sms", R"({"code":"123456"})"},
            Route{"DELETE", "/v1/auth/mfa/totp", R"({"code":"123456"})"},
            Route{"POST", "/v1/auth/mfa/recovery-codes", "{}"},
            Route{"POST", "/v1/auth/reauthenticate", R"({"password":"correct horse battery"})"},
            Route{"POST", "/v1/auth/reauthenticate/challenge", "{}"},
            Route{"POST", "/v1/auth/password",
                R"({"currentPassword":"correct horse battery","newPassword":"another good one"})"},
            Route{"POST", "/v1/auth/email", R"({"newEmail":"moved@example.com"})"},
            Route{"POST", "/v1/auth/email/verification", "{}"},
            Route{"POST", "/v1/auth/identities", R"({"idToken":"e30.e30.e30"})"}, Route{"GET", "/v1/members"},
            Route{"GET", "/v1/settings"}, Route{"GET", "/v1/audit"}, Route{"GET", "/v1/keys"},
            Route{"GET", "/v1/webhooks"}, Route{"GET", "/v1/admin/tenants"}}) {
        INFO(route.method << ' ' << route.path);
        auto const request = route.request == nullptr
                                 ? std::nullopt
                                 : std::optional<std::string>(std::in_place, route.request);
        CHECK(outcome(enrolling.request(route.method, route.path, {}, request)) == unauthorized);
    }
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
