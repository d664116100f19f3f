#include "checks.hpp"
#include "crypto/jwt.hpp"
#include "images.hpp"
#include "oauth.hpp"
#include "passkeys.hpp"
#include "routes.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

OpenApi const& contract()
{
    static OpenApi const loaded(PROTO_DIR "/auth-mfa.openapi.yaml");
    return loaded;
}

namespace {

/// Calls an operation whose path has no parameters, and checks the response.
testing::HttpResponse sent(
    testing::HttpClient& client, std::string const& name, boost::json::object const& request)
{
    return checked(client, name, name.substr(name.find(' ') + 1), body(request));
}

void check_clients(testing::HttpClient& owner)
{
    auto const made = example(owner, "POST /v1/clients");
    REQUIRE(made.status == 201);
    CHECK(sent(owner, "POST /v1/clients", {}).status == 400);
    CHECK(example(owner, "GET /v1/clients").status == 200);
    auto const path = "/v1/clients/" + text(made.json(), "clientId");
    std::string const get = "GET /v1/clients/{clientId}", patch = "PATCH /v1/clients/{clientId}",
                      rotate = "POST /v1/clients/{clientId}/secret", del = "DELETE /v1/clients/{clientId}";
    CHECK(checked(owner, get, path).status == 200);
    CHECK(checked(owner, patch, path, example_of(patch)).status == 200);
    CHECK(checked(owner, rotate, path + "/secret", example_of(rotate)).status == 409);
    CHECK(checked(owner, del, path).status == 200);
    CHECK(checked(owner, get, path).status == 404);
    auto const keys = boost::json::array{crypto::SigningKey::generate().public_jwk("key-1")};
    auto const server = sent(owner, "POST /v1/clients",
        {{"name", "Server"}, {"type", "confidential"},
            {"redirectUris", boost::json::array{"https://app.example.com/callback"}},
            {"jwks", {{"keys", keys}}}});
    REQUIRE(server.status == 201);
    auto const other = "/v1/clients/" + text(server.json(), "clientId");
    CHECK(checked(owner, patch, other, R"({"jwks":null})").status == 200);
    CHECK(checked(owner, rotate, other + "/secret", example_of(rotate)).status == 200);
}

} // namespace

TEST_CASE("the contract describes exactly the routes of the service", "[contract]")
{
    check_described(auth_mfa::api_routes);
}

TEST_CASE("the contract names the callers and the parameters of each route", "[contract]")
{
    check_operations(auth_mfa::api_routes);
}

TEST_CASE("responses of accounts match the contract", "[contract]")
{
    World const world;
    auto anyone = world.client();
    auto const made = example(anyone, "POST /v1/auth/register");
    REQUIRE(made.status == 201);
    CHECK(example(anyone, "POST /v1/auth/register").status == 409);
    CHECK(sent(anyone, "POST /v1/auth/register", {}).status == 400);
    CHECK(example(anyone, "POST /v1/auth/login").status == 200);
    CHECK(
        sent(anyone, "POST /v1/auth/login", {{"email", "x@example.com"}, {"password", "wrong one"}}).status ==
        401);
    CHECK(example(anyone, "POST /v1/auth/external").status == 401);
    auto const refreshed =
        sent(anyone, "POST /v1/auth/refresh", {{"refreshToken", text(made.json(), "refreshToken")}});
    CHECK(refreshed.status == 200);
    CHECK(example(anyone, "POST /v1/auth/refresh").status == 401);

    auto user = world.with(text(made.json(), "accessToken"));
    for (auto const* list : {"/v1/auth/me", "/v1/auth/sessions", "/v1/auth/mfa", "/v1/auth/mfa/devices"})
        CHECK(example(user, std::string("GET ") + list).status == 200);
    CHECK(example(user, "POST /v1/auth/password").status == 200);
    CHECK(example(user, "DELETE /v1/auth/sessions").status == 200);
    auto const sessions = user.get("/v1/auth/sessions").json();
    auto const session = "/v1/auth/sessions/" + text(sessions.at("items").at(0), "sessionId");
    CHECK(checked(user, "DELETE /v1/auth/sessions/{sessionId}", session).status == 200);
    CHECK(sent(anyone, "POST /v1/auth/logout", {{"refreshToken", text(refreshed.json(), "refreshToken")}})
              .status == 200);
    CHECK(example(user, "GET /v1/auth/me").status == 401);
}

TEST_CASE("responses of passkeys match the contract", "[contract]")
{
    World const world;
    auto ada = world.new_account();
    auto anyone = world.client();
    auto user = world.as(ada);
    auto phone = new_phone_with_passkeys();
    auto const options = example(user, "POST /v1/auth/passkeys/options");
    REQUIRE(options.status == 200);
    CHECK(example(user, "POST /v1/auth/passkeys").status == 410);
    CHECK(sent(user, "POST /v1/auth/passkeys", {{"name", "Phone"}}).status == 400);
    auto const registered = sent(user, "POST /v1/auth/passkeys",
        {{"name", "Phone"}, {"credential", phone.create(options.json().as_object())}});
    REQUIRE(registered.status == 201);
    CHECK(example(user, "POST /v1/auth/passkeys/options").status == 403);
    CHECK(example(user, "GET /v1/auth/passkeys").status == 200);
    CHECK(example(user, "GET /v1/auth/mfa").status == 200);

    auto const request = example(anyone, "POST /v1/auth/passkeys/challenge");
    REQUIRE(request.status == 200);
    CHECK(example(anyone, "POST /v1/auth/login/passkey").status == 410);
    auto const login = [&](Ceremony const& ceremony) {
        auto const credential = phone.get(request_options(world.client()), ceremony);
        return sent(anyone, "POST /v1/auth/login/passkey", {{"credential", credential}});
    };
    CHECK(login({.wrong_signature = true}).status == 401);
    auto const signed_in = login({});
    CHECK(signed_in.status == 200);

    CHECK(example(user, "POST /v1/auth/passkeys/challenge").status == 200);
    CHECK(sent(anyone, "POST /v1/auth/passkeys/challenge", {{"mfa_token", "unknown"}}).status == 410);
    auto const mfa_token = world.challenged(ada);
    auto const second = sent(anyone, "POST /v1/auth/passkeys/challenge", {{"mfa_token", mfa_token}});
    REQUIRE(second.status == 200);
    CHECK(sent(anyone, "POST /v1/auth/mfa/verify",
              {{"mfa_token", mfa_token}, {"method", "passkey"},
                  {"credential", phone.get(second.json().as_object())}})
              .status == 200);
    CHECK(sent(user, "POST /v1/auth/reauthenticate",
              {{"credential", phone.get(request_options(world.as(ada)))}})
              .status == 200);
    auto strong = world.with(text(signed_in.json(), "accessToken"));
    CHECK(example(strong, "GET /v1/auth/sessions").status == 200);
    auto const one = "/v1/auth/passkeys/" + text(registered.json(), "passkeyId");
    CHECK(checked(strong, "DELETE /v1/auth/passkeys/{passkeyId}", one).status == 200);
    CHECK(checked(strong, "DELETE /v1/auth/passkeys/{passkeyId}", one).status == 404);
    CHECK(example(anyone, "GET /.well-known/webauthn").status == 200);
}

TEST_CASE("responses of factors match the contract", "[contract]")
{
    World const world;
    auto anyone = world.client();
    auto ada = world.new_account();
    auto user = world.as(ada);
    CHECK(example(user, "POST /v1/auth/mfa/sms/confirm").status == 409);
    auto const setup = example(user, "POST /v1/auth/mfa/sms/setup");
    REQUIRE(setup.status == 200);
    ada.phone = text(setup.json(), "phone");
    CHECK(sent(user, "POST /v1/auth/mfa/sms/setup", {{"phone", "123"}}).status == 400);
    auto const code = world.code_sent_to(ada.phone);
    CHECK(sent(user, "POST /v1/auth/mfa/sms/confirm", {{"code", other_code(code)}}).status == 400);
    auto const confirmed = sent(user, "POST /v1/auth/mfa/sms/confirm", {{"code", code}});
    REQUIRE(confirmed.status == 200);
    auto const recovery = [&](std::size_t i) {
        return std::string(confirmed.json().at("recoveryCodes").at(i).as_string());
    };
    // Changes of factors now need the phone.
    for (auto const* change :
        {"POST /v1/auth/mfa/sms/setup", "POST /v1/auth/mfa/totp/setup", "POST /v1/auth/mfa/recovery-codes"})
        CHECK(sent(user, change, {{"phone", ada.phone}}).status == 403);
    CHECK(sent(user, "POST /v1/auth/reauthenticate/challenge", {}).status == 200);
    boost::json::object const proof{{"method", "sms"}, {"code", world.code_sent_to(ada.phone)}};
    auto const proved = sent(user, "POST /v1/auth/reauthenticate", proof);
    REQUIRE(proved.status == 200);
    CHECK(sent(user, "POST /v1/auth/reauthenticate", proof).status == 410);
    CHECK(sent(user, "POST /v1/auth/reauthenticate", {{"password", "wrong one"}}).status == 401);
    auto strong = world.with(text(proved.json(), "accessToken"));
    CHECK(example(strong, "POST /v1/auth/mfa/sms/setup").status == 409);

    auto const asked =
        sent(anyone, "POST /v1/auth/login", {{"email", ada.email}, {"password", ada.password}});
    REQUIRE(asked.status == 403);
    auto const token = text(asked.json(), "mfa_token");
    CHECK(sent(anyone, "POST /v1/auth/mfa/challenge",
              {{"mfa_token", token}, {"challenge_type", "oob"}, {"oob_channel", "sms"}})
              .status == 200);
    CHECK(example(anyone, "POST /v1/auth/mfa/challenge").status == 410);
    CHECK(example(anyone, "POST /v1/auth/mfa/verify").status == 410);
    auto const fresh = world.code_sent_to(ada.phone);
    CHECK(sent(anyone, "POST /v1/auth/mfa/verify",
              {{"mfa_token", token}, {"method", "sms"}, {"code", other_code(fresh)}})
              .status == 400);
    CHECK(sent(anyone, "POST /v1/auth/mfa/verify",
              {{"mfa_token", token}, {"method", "sms"}, {"code", fresh}, {"trustDevice", true}})
              .status == 200);
    CHECK(example(user, "GET /v1/auth/mfa").status == 200);
    auto const devices = example(user, "GET /v1/auth/mfa/devices");
    auto const device = "/v1/auth/mfa/devices/" + text(devices.json().at("items").at(0), "deviceId");
    CHECK(checked(user, "DELETE /v1/auth/mfa/devices/{deviceId}", device).status == 200);
    CHECK(checked(user, "DELETE /v1/auth/mfa/devices/{deviceId}", device).status == 404);
    CHECK(example(user, "DELETE /v1/auth/mfa/devices").status == 200);
    CHECK(sent(strong, "POST /v1/auth/mfa/recovery-codes", {{"code", recovery(0)}}).status == 200);
    CHECK(sent(strong, "POST /v1/auth/mfa/recovery-codes", {{"code", recovery(0)}}).status == 400);
    CHECK(sent(strong, "POST /v1/auth/mfa/recovery-codes", {}).status == 200);

    auto const secret = sent(strong, "POST /v1/auth/mfa/totp/setup", {});
    REQUIRE(secret.status == 200);
    ada.totp_secret = text(secret.json(), "secret");
    CHECK(
        sent(strong, "POST /v1/auth/mfa/totp/confirm", {{"code", other_code(world.totp_code(ada))}}).status ==
        400);
    CHECK(sent(strong, "POST /v1/auth/mfa/totp/confirm", {{"code", world.totp_code(ada)}}).status == 200);
    for (auto const* list : {"/v1/auth/activity", "/v1/auth/identities"})
        CHECK(example(user, std::string("GET ") + list).status == 200);
    CHECK(sent(user, "DELETE /v1/auth/mfa/sms", {{"code", world.totp_code(ada, 1)}}).status == 200);
    CHECK(example(user, "DELETE /v1/auth/mfa/sms").status == 409);
    CHECK(example(user, "DELETE /v1/auth/mfa/totp").status == 400);
}

TEST_CASE("responses of tenant and operator routes match the contract", "[contract]")
{
    World const world;
    auto master = world.as_master(), anyone = world.client();
    auto const user = world.new_account();
    auto const owner = world.new_owner();
    auto boss = world.as(owner);
    for (auto const* read : {"/v1/members", "/v1/settings", "/v1/audit"})
        CHECK(example(boss, std::string("GET ") + read).status == 200);
    auto const member = "/v1/members/" + user.user_id;
    CHECK(checked(boss, "GET /v1/members/{userId}", member).status == 200);
    CHECK(checked(boss, "PATCH /v1/members/{userId}", member, R"({"role":"admin"})").status == 409);
    world.verify_email(user);
    CHECK(checked(boss, "PATCH /v1/members/{userId}", member, R"({"role":"admin"})").status == 200);
    CHECK(example(boss, "POST /v1/members").status == 201);
    CHECK(example(boss, "POST /v1/members").status == 409);
    CHECK(checked(boss, "GET /v1/members/{userId}/activity", member + "/activity").status == 200);
    CHECK(checked(boss, "DELETE /v1/members/{userId}/sessions", member + "/sessions").status == 200);
    CHECK(checked(boss, "PATCH /v1/members/{userId}", "/v1/members/" + owner.user_id, R"({"role":"user"})")
              .status == 409);
    CHECK(checked(boss, "DELETE /v1/members/{userId}/mfa", member + "/mfa").status == 200);
    check_clients(boss);
    CHECK(example(boss, "PATCH /v1/settings").status == 200);
    CHECK(checked(boss, "PUT /v1/settings/logo", "/v1/settings/logo", make_png(3, 2),
              {{"Content-Type", "image/png"}})
              .status == 200);
    CHECK(example(boss, "GET /v1/settings").status == 200);
    CHECK(example(anyone, "GET /logo").status == 200);
    CHECK(example(boss, "DELETE /v1/settings/logo").status == 200);
    CHECK(example(anyone, "GET /logo").status == 404);
    CHECK(example(boss, "GET /v1/audit").status == 200);

    std::string const owners = "POST /v1/admin/tenants/{slug}/owners";
    auto const first = example_of(owners);
    CHECK(checked(master, owners, "/v1/admin/tenants/demo/owners", first).status == 201);
    CHECK(checked(master, owners, "/v1/admin/tenants/demo/owners", first).status == 409);
    check_tenants(master);
    CHECK(checked(master, "DELETE /v1/admin/sms/opt-outs/{phone}", "/v1/admin/sms/opt-outs/+4915112345678")
              .status == 404);
    CHECK(checked(anyone, "POST /webhooks/sms/twilio", "/webhooks/sms/twilio",
              "From=%2B4915112345678&Body=START", {{"Content-Type", "application/x-www-form-urlencoded"}})
              .status == 401);
    for (auto const* page : {"/login", "/register", "/reset", "/enroll", "/oauth/logout", "/pages.css",
             "/pages.js", "/.well-known/jwks.json", "/.well-known/openid-configuration",
             "/.well-known/oauth-authorization-server"})
        CHECK(example(anyone, std::string("GET ") + page).status == 200);
    auto const form = testing::HttpClient::Headers{{"Content-Type", "application/x-www-form-urlencoded"}};
    CHECK(example(anyone, "GET /oauth/external/callback").status == 410);
    CHECK(example(anyone, "GET /oauth/external/{name}").status == 404);
    CHECK(checked(anyone, "POST /oauth/external/callback", "/oauth/external/callback", "state=x", form)
              .status == 303);
    CHECK(example(anyone, "GET /oauth/authorize").status == 400); // the client of the example is unknown
    CHECK(checked(anyone, "POST /oauth/authorize", "/oauth/authorize", "client_id=x", form).status == 400);
    CHECK(checked(anyone, "POST /oauth/par", "/oauth/par", "client_id=x", form).status == 401);
    std::string const request = "client_id=tetrad-console&response_type=code&redirect_uri=";
    CHECK(checked(anyone, "POST /oauth/par", "/oauth/par", request + "x", form).status == 400);
    CHECK(checked(anyone, "POST /oauth/logout", "/oauth/logout", "state=af0ifjsldkj",
              {{"Content-Type", "application/x-www-form-urlencoded"}})
              .status == 303);
    for (auto const* page : {"/verify-email", "/invite", "/confirm-email", "/revert-email"})
        CHECK(checked(anyone, std::string("GET ") + page, std::string(page) + "?token=abc").status == 200);
}

TEST_CASE("responses for clients match the contract", "[contract]")
{
    World const world;
    auto const ada = world.new_account();
    auto const client = oauth::new_confidential_client(world);
    auto browser = oauth::signed_in(world, ada);
    auto const pkce = oauth::Pkce::make();
    auto const code = oauth::authorize(browser, oauth::request_of(client, pkce));
    auto anyone = world.client();
    auto const send = [&](std::string const& path, oauth::Fields const& fields) {
        return checked(anyone, "POST " + path, path, oauth::encode(fields),
            {{"Content-Type", "application/x-www-form-urlencoded"}});
    };
    auto const as_client = [&](oauth::Fields const& fields) {
        return oauth::with(oauth::credentials_of(client), fields);
    };
    oauth::Fields const grant{{"grant_type", "authorization_code"}, {"code", code},
        {"redirect_uri", client.redirect_uri}, {"code_verifier", pkce.verifier}};
    CHECK(send("/oauth/token", {}).status == 400);
    CHECK(send("/oauth/token", oauth::with(grant, {{"client_id", "unknown"}})).status == 401);
    auto const exchanged = send("/oauth/token", as_client(grant));
    auto const tokens = oauth::Tokens::of(exchanged);
    auto const refreshed = send("/oauth/token",
        as_client({{"grant_type", "refresh_token"}, {"refresh_token", tokens.refresh_token}}));
    auto const next = oauth::Tokens::of(refreshed);

    for (auto const& token : {next.access_token, next.refresh_token, ada.access_token, std::string("x")})
        CHECK(send("/oauth/introspect", as_client({{"token", token}})).status == 200);
    CHECK(send("/oauth/introspect", {{"token", "x"}}).status == 400);
    auto app = world.with(next.access_token);
    CHECK(example(app, "GET /oauth/userinfo").status == 200);
    CHECK(example(anyone, "GET /oauth/userinfo").status == 401);
    CHECK(send("/oauth/userinfo", {{"access_token", next.access_token}}).status == 200);
    CHECK(send("/oauth/userinfo", {{"access_token", "x"}}).status == 401);
    CHECK(send("/oauth/revoke", as_client({{"token", ada.refresh_token}})).status == 400);
    CHECK(send("/oauth/revoke", as_client({{"token", next.refresh_token}})).status == 200);
}

TEST_CASE("the served reference matches the contract", "[contract]")
{
    World const world;
    auto anyone = world.client();
    check_reference(anyone);
}
