#include "factors.hpp"
#include "identity_provider.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

#include <array>

namespace {

namespace json = boost::json;

constexpr char const* wrong_credentials = "401 INVALID_CREDENTIALS";

struct Route {
    char const* method;
    char const* path;
    char const* request;
};

/// The routes that need a fresh authentication.
constexpr std::array routes{
    Route{"POST", "/v1/auth/mfa/sms/setup", R"({"phone":"+4915199999999"})"},
    Route{"POST", "/v1/auth/mfa/totp/setup", "{}"},
    Route{"POST", "/v1/auth/mfa/recovery-codes", "{}"},
    Route{"POST", "/v1/auth/email", R"({"newEmail":"moved@example.com"})"},
    Route{"POST", "/v1/auth/identities", R"({"idToken":"e30.e30.e30"})"},
    Route{"DELETE", "/v1/auth/identities/0190a5d2-0000-7000-8000-0000000000ff", ""},
};

testing::HttpResponse call(World const& world, std::string const& access_token, Route const& route)
{
    auto caller = world.with(access_token);
    auto const request =
        *route.request == '\0' ? std::nullopt : std::optional<std::string>(std::in_place, route.request);
    return caller.request(route.method, route.path, {}, request);
}

/// Checks that every route refuses the access token, and that the responses list these `methods`.
void check_refused(World const& world, std::string const& access_token, json::array const& methods)
{
    for (auto const& route : routes) {
        INFO(route.method << ' ' << route.path);
        auto const r = call(world, access_token, route);
        CHECK(outcome(r) == not_fresh);
        CHECK(r.json().at("available_methods") == json::value(methods));
    }
}

void check_admitted(World const& world, std::string const& access_token)
{
    for (auto const& route : routes) {
        INFO(route.method << ' ' << route.path);
        CHECK(outcome(call(world, access_token, route)) != not_fresh);
    }
}

testing::HttpResponse prove(World const& world, Account const& account, json::object const& proof)
{
    return world.as(account).post("/v1/auth/reauthenticate", body(proof));
}

/// Authenticates again and returns the new access token.
std::string proved(World const& world, Account const& account, json::object const& proof)
{
    auto const r = prove(world, account, proof);
    INFO(r.body);
    REQUIRE(r.status == 200);
    return text(r.json(), "accessToken");
}

json::object password_of(Account const& account)
{
    return {{"password", account.password}};
}

json::object code(std::string const& method, std::string const& value)
{
    return {{"method", method}, {"code", value}};
}

/// The claims that show how the user authenticated: `aal1 ["pwd"]`.
std::string strength_of(std::string const& access_token)
{
    auto const claims = claims_of(access_token);
    return text(claims, "acr") + ' ' + json::serialize(claims.at("amr"));
}

std::int64_t auth_time_of(std::string const& access_token)
{
    return claims_of(access_token).at("auth_time").as_int64();
}

std::int64_t seconds_of(World const& world)
{
    return core::unix_seconds(world.clock.now());
}

/// The access token of the next refresh. Updates the account's tokens.
std::string refreshed(World const& world, Account& account)
{
    auto const r = world.client(account.tenant)
                       .post("/v1/auth/refresh", body({{"refreshToken", account.refresh_token}}));
    INFO(r.body);
    REQUIRE(r.status == 200);
    account.take(r);
    return account.access_token;
}

} // namespace

TEST_CASE("an access token states when and how strongly its user authenticated", "[fresh]")
{
    World const world;
    auto ada = world.new_account();
    auto const begun = seconds_of(world);
    CHECK(strength_of(ada.access_token) == R"(aal1 ["pwd"])");
    CHECK(auth_time_of(ada.access_token) == begun);
    CHECK(claims_of(ada.access_token).at("email_verified") == false);

    // A refresh keeps the time and the strength, and a new factor changes nothing in the open session.
    world.verify_email(ada);
    world.enrol_totp(ada);
    world.clock.advance(100s);
    auto const next = refreshed(world, ada);
    CHECK(strength_of(next) == R"(aal1 ["pwd"])");
    CHECK(auth_time_of(next) == begun);
    CHECK(claims_of(next).at("email_verified") == true);

    auto const with_app = world.verify(world.challenged(ada), "totp", world.totp_code(ada), true);
    REQUIRE(with_app.status == 200);
    auto strong = ada;
    strong.take(with_app);
    CHECK(strength_of(strong.access_token) == R"(aal2 ["pwd","otp","mfa"])");
    CHECK(auth_time_of(strong.access_token) == begun + 100);
    world.clock.advance(100s);
    CHECK(strength_of(refreshed(world, strong)) == R"(aal2 ["pwd","otp","mfa"])");
    CHECK(auth_time_of(strong.access_token) == begun + 100);

    auto const recovered = world.verify(world.challenged(ada), "recovery_code", ada.recovery_codes[0]);
    REQUIRE(recovered.status == 200);
    CHECK(strength_of(text(recovered.json(), "accessToken")) == R"(aal2 ["pwd","kba","mfa"])");

    auto device = world.client();
    device.set("Cookie", device_cookie_of(with_app));
    auto const trusted = world.login(ada, device);
    REQUIRE(trusted.status == 200);
    CHECK(strength_of(text(trusted.json(), "accessToken")) == R"(aal1 ["pwd"])");

    auto const bob = world.new_account_with_sms();
    auto const by_phone = world.verify(world.challenged(bob), "sms", world.code_sent_to(bob.phone));
    REQUIRE(by_phone.status == 200);
    CHECK(strength_of(text(by_phone.json(), "accessToken")) == R"(aal2 ["pwd","sms","mfa"])");
}

TEST_CASE("changes of an account need an authentication of the last 300 seconds", "[fresh]")
{
    World const world;
    auto const ada = world.new_account();
    world.clock.advance(too_long - 1s);
    check_admitted(world, ada.access_token);
    world.clock.advance(1s);
    check_refused(world, ada.access_token, {"password"});

    SECTION("with the password")
    {
        auto const r = prove(world, ada, password_of(ada));
        REQUIRE(r.status == 200);
        CHECK(r.header("cache-control") == "no-store");
        CHECK(r.json().at("expiresIn") == 900);
        CHECK_FALSE(r.json().as_object().contains("refreshToken"));
        auto const fresh = text(r.json(), "accessToken");
        CHECK(claims_of(fresh).at("sid") == claims_of(ada.access_token).at("sid"));
        CHECK(strength_of(fresh) == R"(aal1 ["pwd"])");
        CHECK(auth_time_of(fresh) == seconds_of(world));
        check_admitted(world, fresh);
        // Another token of the session, which was issued before, does not become fresh.
        check_refused(world, ada.access_token, {"password"});
        auto again = ada;
        CHECK(auth_time_of(refreshed(world, again)) == auth_time_of(fresh));
    }
    SECTION("a change of password or the removal of a factor asks for a credential instead")
    {
        CHECK(world.as(ada)
                  .post("/v1/auth/password",
                      body({{"currentPassword", ada.password}, {"newPassword", "another good one"}}))
                  .status == 200);
        auto bob = world.new_account_with_totp();
        world.clock.advance(too_long);
        auto caller = world.as(bob);
        CHECK(outcome(caller.request("DELETE", "/v1/auth/mfa/totp", {}, "{}")) == "400 VALIDATION_ERROR");
        CHECK(
            caller.request("DELETE", "/v1/auth/mfa/totp", {}, code_body(world.totp_code(bob))).status == 200);
    }
    SECTION("not with a wrong or malformed proof")
    {
        CHECK(outcome(prove(world, ada, {{"password", "not the password"}})) == wrong_credentials);
        CHECK(outcome(prove(world, ada, code("totp", "123456"))) == invalid);
        for (json::object const& malformed :
            {json::object{}, json::object{{"password", ada.password}, {"code", "123456"}},
                json::object{{"password", ada.password}, {"idToken", "x"}}, json::object{{"method", "totp"}},
                json::object{{"code", "123456"}}, code("email", "123456"), json::object{{"password", 1}}}) {
            INFO(json::serialize(malformed));
            CHECK(outcome(prove(world, ada, malformed)) == "400 VALIDATION_ERROR");
        }
        check_refused(world, ada.access_token, {"password"});
        REQUIRE(world.client().post("/v1/auth/logout", body({{"refreshToken", ada.refresh_token}})).status ==
                200);
        CHECK(outcome(prove(world, ada, password_of(ada))) == "401 UNAUTHORIZED");
    }
}

TEST_CASE("changes of an account with a factor need that factor, before the state of a factor is checked",
    "[fresh]")
{
    World const world;
    auto ada = world.new_account_with_totp();
    check_refused(world, ada.access_token, {"totp", "recovery_code"}); // recent, but without the factor
    // The password makes the session recent, but not strong enough.
    auto const recent = proved(world, ada, password_of(ada));
    CHECK(strength_of(recent) == R"(aal1 ["pwd"])");
    check_refused(world, recent, {"totp", "recovery_code"});

    world.enrol_sms(ada);
    CHECK(strength_of(ada.access_token) == R"(aal2 ["pwd","otp","mfa"])");
    check_admitted(world, ada.access_token);
    CHECK(outcome(call(world, ada.access_token, routes[0])) == already);
    CHECK(outcome(call(world, ada.access_token, routes[1])) == already);

    // A session that has proved the factor may repeat the password later.
    world.clock.advance(too_long);
    check_refused(world, ada.access_token, {"password", "sms", "totp", "recovery_code"});
    ada.access_token = proved(world, ada, password_of(ada));
    CHECK(strength_of(ada.access_token) == R"(aal2 ["pwd","otp","mfa"])"); // it never becomes weaker
    check_admitted(world, ada.access_token);
    CHECK(strength_of(refreshed(world, ada)) == R"(aal2 ["pwd","otp","mfa"])");
}

TEST_CASE("a user proves a factor again", "[fresh]")
{
    World const world;
    SECTION("with a code of the app, once")
    {
        auto const ada = world.new_account_with_totp();
        auto const right = world.totp_code(ada, 1);
        CHECK(outcome(prove(world, ada, code("totp", other_code(right)))) == invalid);
        CHECK(outcome(prove(world, ada, code("sms", right))) == invalid); // SMS is not a factor
        CHECK(outcome(world.as(ada).post("/v1/auth/reauthenticate/challenge", "{}")) == setup_required);
        auto const fresh = proved(world, ada, code("totp", right));
        CHECK(strength_of(fresh) == R"(aal2 ["pwd","otp","mfa"])");
        CHECK(outcome(prove(world, ada, code("totp", right))) == invalid);
        CHECK(outcome(world.verify(world.challenged(ada), "totp", right)) == invalid);
    }
    SECTION("with a recovery code, once")
    {
        auto const ada = world.new_account_with_totp();
        auto const fresh = proved(world, ada, code("recovery_code", ada.recovery_codes[0]));
        CHECK(strength_of(fresh) == R"(aal2 ["pwd","kba","mfa"])");
        CHECK(outcome(prove(world, ada, code("recovery_code", ada.recovery_codes[0]))) == invalid);
        CHECK(world.as(ada).get("/v1/auth/mfa").json().at("recoveryCodesLeft") == 9);
        check_admitted(world, fresh);
    }
    SECTION("with a code that was sent for this session")
    {
        auto const ada = world.new_account_with_sms();
        CHECK(outcome(prove(world, ada, code("sms", "123456"))) == expired); // no code was sent
        auto const signed_in = world.verify(world.challenged(ada), "sms", world.code_sent_to(ada.phone));
        REQUIRE(signed_in.status == 200);
        auto elsewhere = ada;
        elsewhere.take(signed_in);

        auto const sent = world.as(ada).post("/v1/auth/reauthenticate/challenge", "{}");
        REQUIRE(sent.status == 200);
        CHECK(text(sent.json(), "phone") != ada.phone);
        CHECK(sent.json().at("sendsRemaining") == 2);
        auto const right = world.code_sent_to(ada.phone);
        CHECK(outcome(prove(world, elsewhere, code("sms", right))) == expired); // a code for another session
        auto const wrong = prove(world, ada, code("sms", other_code(right)));
        CHECK(outcome(wrong) == invalid);
        auto const fresh = proved(world, ada, code("sms", right));
        CHECK(strength_of(fresh) == R"(aal2 ["pwd","sms","mfa"])");
        CHECK(outcome(prove(world, ada, code("sms", right))) == expired);
        check_admitted(world, fresh);
    }
    SECTION("with a sent code, although no recovery code is left: new recovery codes need no code")
    {
        auto ada = world.new_account_with_sms();
        world.postgres.query("UPDATE recovery_codes SET used_at = now()");
        check_refused(world, ada.access_token, {"sms"});
        world.reauthenticate(ada);
        auto const made = world.as(ada).post("/v1/auth/mfa/recovery-codes", "{}");
        REQUIRE(made.status == 200);
        auto const codes = made.json().at("recoveryCodes").as_array();
        REQUIRE(codes.size() == 10);
        CHECK(
            world.verify(world.challenged(ada), "recovery_code", std::string(codes[9].as_string())).status ==
            200);
    }
}

TEST_CASE("a user of an identity provider proves the identity again with a new id token", "[fresh]")
{
    World const world;
    TrustedProvider const provider(world);
    world.set({{"identityProviders", json::array{provider.setting()}}});
    auto const email = World::new_email();
    Account ada{.tenant = "demo-sandbox", .email = email};
    auto const signed_in = sign_in_externally(world, provider.token(email));
    INFO(signed_in.body);
    REQUIRE(signed_in.status == 201);
    ada.take(signed_in);
    CHECK(strength_of(ada.access_token) == R"(aal1 ["fed"])");
    auto const early = provider.token(email); // issued in the second of the sign-in
    world.clock.advance(too_long);
    check_refused(world, ada.access_token, {"external"});

    CHECK(outcome(prove(world, ada, {{"idToken", early}})) == wrong_credentials);
    CHECK(outcome(prove(world, ada, {{"idToken", provider.token()}})) == wrong_credentials); // not linked
    auto const other = World::new_email();
    REQUIRE(sign_in_externally(world, provider.token(other)).status == 201);
    CHECK(outcome(prove(world, ada, {{"idToken", provider.token(other)}})) == wrong_credentials);
    CHECK(outcome(prove(world, ada, {{"idToken", provider.token(email)}, {"nonce", "n"}})) ==
          wrong_credentials);
    CHECK(outcome(prove(world, ada, {{"password", World::password}})) == wrong_credentials); // has none

    auto const token = provider.token(email, {{"nonce", "n"}});
    auto const fresh = proved(world, ada, {{"idToken", token}, {"nonce", "n"}});
    CHECK(auth_time_of(fresh) == seconds_of(world));
    CHECK(strength_of(fresh) == R"(aal1 ["fed"])");
    check_admitted(world, fresh);
    world.clock.advance(1s);
    CHECK(outcome(prove(world, ada, {{"idToken", token}, {"nonce", "n"}})) == wrong_credentials); // used
}

TEST_CASE("a stolen access token is not enough to take over an account", "[fresh]")
{
    World const world;
    SECTION("of a user without a factor, when the authentication is not recent")
    {
        auto const ada = world.new_account();
        world.clock.advance(too_long);
        auto thief = world.as(ada);
        CHECK(outcome(thief.post("/v1/auth/mfa/totp/setup", "{}")) == not_fresh);
        CHECK(outcome(thief.post("/v1/auth/mfa/sms/setup", setup_body(World::new_phone()))) == not_fresh);
        CHECK(outcome(thief.post("/v1/auth/email", R"({"newEmail":"thief@example.com"})")) == not_fresh);
        CHECK(thief.get("/v1/auth/mfa").json().at("factors").as_array().empty());
        CHECK(world.login(ada).status == 200);
    }
    SECTION("when the thief starts a set-up before the user enrols the first factor")
    {
        auto ada = world.new_account();
        auto thief = world.as(ada);
        auto const started = thief.post("/v1/auth/mfa/totp/setup", "{}");
        REQUIRE(started.status == 200);
        auto thiefs = ada;
        thiefs.totp_secret = text(started.json(), "secret");
        auto const right = code_body(world.totp_code(thiefs));
        world.enrol_sms(ada);
        auto const confirmed = thief.post("/v1/auth/mfa/totp/confirm", right);
        CHECK(outcome(confirmed) == not_fresh);
        CHECK(json::serialize(confirmed.json().at("available_methods")) == R"(["sms","recovery_code"])");
        CHECK(json::serialize(thief.get("/v1/auth/mfa").json().at("factors")) == R"(["sms"])");
    }
    SECTION("of a user with a factor, who authenticates again with the phone while the thief has the token")
    {
        // The thief would enrol an app, and remove the phone with a code of this app.
        auto const ada = world.new_account_with_sms();
        auto thief = world.as(ada);
        CHECK(outcome(thief.post("/v1/auth/mfa/totp/setup", "{}")) == not_fresh);
        CHECK(outcome(thief.post("/v1/auth/mfa/recovery-codes", "{}")) == not_fresh);
        auto hers = ada;
        world.reauthenticate(hers);
        CHECK(outcome(thief.post("/v1/auth/mfa/totp/setup", "{}")) == not_fresh);
        CHECK(outcome(thief.post("/v1/auth/mfa/totp/confirm", code_body("123456"))) == setup_required);
        for (auto const& guess : {std::string("123456"), world.code_sent_to(ada.phone)})
            CHECK(outcome(thief.request("DELETE", "/v1/auth/mfa/sms", {}, code_body(guess))) == invalid);
        CHECK(json::serialize(thief.get("/v1/auth/mfa").json().at("factors")) == R"(["sms"])");
        CHECK(world.as(hers).post("/v1/auth/mfa/totp/setup", "{}").status == 200);
    }
}

TEST_CASE("the operator chooses how long an authentication is fresh", "[fresh]")
{
    World const world({.environment = {{"REAUTHENTICATION_SECONDS", "30"}}});
    auto const ada = world.new_account();
    world.clock.advance(30s);
    CHECK(world.as(ada).post("/v1/auth/mfa/totp/setup", "{}").status == 200);
    world.clock.advance(1s);
    CHECK(outcome(world.as(ada).post("/v1/auth/mfa/totp/setup", "{}")) == not_fresh);
}
