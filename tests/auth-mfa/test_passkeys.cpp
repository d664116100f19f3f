#include "account_rows.hpp"
#include "crypto/encoding.hpp"
#include "domain/passkey.hpp"
#include "emails.hpp"
#include "passkeys.hpp"

#include <catch2/catch.hpp>

// Registration and list of passkeys. test_passkey_sign_in.cpp signs in with them.

namespace {

namespace json = boost::json;

/// Stores `n` passkeys without an authenticator.
void store_passkeys(World const& world, Account const& account, int n)
{
    insert_rows(world, account, "passkeys",
        "passkey_id, name, credential_id, public_key, algorithm, rp_id, aaguid, sign_count, backup_eligible, "
        "backed_up, transports, created_at",
        "gen_random_uuid(), 'Key', sha256(('" + account.user_id +
            "' || i)::bytea), '', -7, 'demo-sandbox.auth.localhost', gen_random_uuid(), 0, false, false, "
            "'{}', "
            "jobs_now()",
        n);
}

std::string refusal_of(testing::HttpResponse const& r)
{
    return r.status == 400 ? testing::faults_of(r) : outcome(r);
}

} // namespace

TEST_CASE("a user registers a passkey", "[passkeys]")
{
    World const world;
    auto ada = world.new_account();
    CHECK(passkeys_of(world, ada.access_token).empty());
    auto const options = creation_options(world, ada.access_token);
    CHECK(options.at("rp") == json::value({{"id", "demo-sandbox.auth.localhost"}, {"name", "A tenant"}}));
    auto const& user = options.at("user").as_object();
    CHECK(text(user, "name") == ada.email);
    CHECK(text(user, "displayName") == ada.email);
    auto const id = auth_mfa::user_handle_of(auth_mfa::UserId(*core::Uuid::parse(ada.user_id)));
    CHECK(text(user, "id") == crypto::base64url::encode(id));
    CHECK(crypto::base64url::decode(text(options, "challenge"))->size() == 32);
    auto const& selection = options.at("authenticatorSelection").as_object();
    CHECK(text(selection, "residentKey") == "required");
    CHECK(text(selection, "userVerification") == "required");
    CHECK(text(options, "attestation") == "none");
    CHECK(options.at("timeout").to_number<int>() == 300'000);
    CHECK(options.at("excludeCredentials").as_array().empty());
    CHECK(
        json::serialize(options.at("pubKeyCredParams")) ==
        R"([{"type":"public-key","alg":-8},{"type":"public-key","alg":-7},{"type":"public-key","alg":-257}])");

    auto phone = new_phone_with_passkeys();
    phone.synchronised = true;
    auto const r = send_registration(world, ada.access_token, phone.create(options), "Ada's phone");
    INFO(r.body);
    REQUIRE(r.status == 201);
    CHECK(r.header("cache-control") == "no-store");
    auto made = r.json().as_object();
    CHECK(made.at("recoveryCodes").as_array().size() == 10);
    CHECK_FALSE(made.contains("accessToken"));
    made.erase("recoveryCodes");
    CHECK(made.size() == 6);
    CHECK(text(made, "name") == "Ada's phone");
    CHECK(made.at("lastUsedAt").is_null());
    CHECK(made.at("backedUp") == true);
    CHECK(made.at("transports") == json::array{"internal", "hybrid"});
    CHECK(text(made, "createdAt") == core::to_rfc3339(world.clock.now()));
    auto const listed = testing::require(200, world.as(ada).get("/v1/auth/passkeys")).json();
    CHECK(listed.at("cursor").is_null());
    CHECK(listed.at("items") == json::array{made});
    CHECK(world.as(ada).get("/v1/auth/mfa").json().at("factors") == json::array{"passkey"});
    CHECK(world.as(ada).get("/v1/auth/mfa").json().at("recoveryCodesLeft") == 10);
    // Another user does not see it.
    CHECK(passkeys_of(world, world.new_account().access_token).empty());

    auto const exported = world.as(ada).get("/v1/auth/me/export").body;
    CHECK(exported.find(R"({"type":"passkey",)") != std::string::npos);
    CHECK(exported.find("Ada's phone") != std::string::npos);
}

TEST_CASE("a passkey has a name of 1 to 100 characters", "[passkeys]")
{
    World const world;
    auto ada = world.new_account();
    auto phone = new_phone_with_passkeys();
    auto const credential = phone.create(creation_options(world, ada.access_token));
    auto caller = world.as(ada);
    auto const send = [&](json::object const& document) {
        return refusal_of(caller.post("/v1/auth/passkeys", body(document)));
    };
    CHECK(send({{"credential", credential}}) == "/name required");
    CHECK(send({{"credential", credential}, {"name", ""}}) == "/name too_short");
    CHECK(send({{"credential", credential}, {"name", std::string(101, 'x')}}) == "/name too_long");
    CHECK(send({{"name", "Phone"}}) == "/credential required");
    CHECK(send({{"name", "Phone"}, {"credential", json::object()}}).starts_with("/credential/"));
    std::string longest;
    for (int i = 0; i < 100; ++i)
        longest += "日";
    // Malformed requests do not use the challenge up.
    CHECK(send({{"credential", credential}, {"name", longest}}) == "201");
    CHECK(text(passkeys_of(world, ada.access_token).at(0), "name") == longest);
}

TEST_CASE(
    "the set-up of a passkey needs a fresh authentication, with the factor if there is one", "[passkeys]")
{
    World const world;
    auto ada = world.new_account();
    world.clock.advance(too_long);
    auto const options_of = [&](std::string const& token) {
        return world.with(token).post("/v1/auth/passkeys/options", "{}");
    };
    auto const refused = options_of(ada.access_token);
    CHECK(outcome(refused) == not_fresh);
    CHECK(methods_of(refused) == R"(["password"])");
    ada.take(world.login(ada));
    auto phone = new_phone_with_passkeys();
    register_passkey(world, ada, phone);

    auto const weak = options_of(ada.access_token); // opened before the passkey
    CHECK(outcome(weak) == not_fresh);
    CHECK(methods_of(weak) == R"(["passkey","recovery_code"])");
    CHECK(outcome(world.as(ada).post("/v1/auth/mfa/totp/setup", "{}")) == not_fresh);
    auto const strong = strong_token(world, phone);
    auto const again = creation_options(world, strong);
    CHECK(again.at("excludeCredentials").as_array().size() == 1);
    CHECK(
        text(again.at("excludeCredentials").at(0), "id") == crypto::base64url::encode(phone.credential_id()));
    CHECK_THROWS(phone.create(again)); // the browser refuses
    CHECK(options_of(strong).status == 200);
    world.clock.advance(too_long);
    auto const stale = options_of(strong);
    CHECK(outcome(stale) == not_fresh);
    CHECK(methods_of(stale) == R"(["password","passkey","recovery_code"])");
}

TEST_CASE(
    "another passkey ends other sessions and trusted devices and brings no recovery codes", "[passkeys]")
{
    World const world;
    auto ada = world.new_account();
    auto phone = new_phone_with_passkeys();
    register_passkey(world, ada, phone);
    insert_rows(world, ada, "trusted_devices",
        "device_id, secret_hash, created_at, last_used_at, expires_at, user_agent",
        "gen_random_uuid(), '', jobs_now(), jobs_now(), jobs_now() + interval '1 day', ''", 1);
    auto const strong = strong_token(world, phone);
    CHECK(world.as(ada).get("/v1/auth/me").status == 200);
    auto laptop = new_phone_with_passkeys();
    auto const r = send_registration(world, strong, laptop.create(creation_options(world, strong)), "Laptop");
    REQUIRE(r.status == 201);
    CHECK(r.json().at("recoveryCodes").as_array().empty());
    CHECK(world.with(strong).get("/v1/auth/me").status == 200);
    CHECK(world.as(ada).get("/v1/auth/me").status == 401);
    CHECK(world.with(strong).get("/v1/auth/mfa/devices").json().at("items").as_array().empty());
    CHECK(passkeys_of(world, strong).size() == 2);
    CHECK(world.with(strong).get("/v1/auth/mfa").json().at("recoveryCodesLeft") == 10);
    // Both are announced.
    CHECK(results_of(world, ada, "factor_added").size() == 2);
    settle(world);
    CHECK(mails_about(world, ada.email, "method added").size() == 2);
}

TEST_CASE("a registration needs the challenge of its session, once and within 5 minutes", "[passkeys]")
{
    World const world;
    auto ada = world.new_account();
    auto const bob = world.new_account();
    auto const elsewhere = world.new_account("other-sandbox");
    auto phone = new_phone_with_passkeys();
    auto const send = [&](std::string const& token, json::object const& credential) {
        return outcome(send_registration(world, token, credential));
    };
    auto const fresh = [&] { return phone.create(creation_options(world, ada.access_token)); };
    auto other_session = ada;
    other_session.take(world.login(ada));

    auto other_phone = new_phone_with_passkeys();
    CHECK(send(bob.access_token, other_phone.create(creation_options(world, ada.access_token))) == expired);
    other_phone = new_phone_with_passkeys();
    CHECK(send(other_session.access_token, other_phone.create(creation_options(world, ada.access_token))) ==
          expired);
    other_phone = new_phone_with_passkeys();
    auto const moved = other_phone.create(creation_options(world, ada.access_token));
    CHECK(outcome(world.as(elsewhere).post(
              "/v1/auth/passkeys", body({{"name", "Phone"}, {"credential", moved}}))) == expired);
    // A challenge for a proof, and one that the service did not make.
    auto options = creation_options(world, ada.access_token);
    options["challenge"] = request_options(world.as(ada)).at("challenge");
    CHECK(send(ada.access_token, new_phone_with_passkeys().create(options)) == expired);
    options["challenge"] = crypto::base64url::encode(std::string(32, 'x'));
    CHECK(send(ada.access_token, new_phone_with_passkeys().create(options)) == expired);

    phone = new_phone_with_passkeys();
    auto const late = fresh();
    world.clock.advance(301s);
    CHECK(send(ada.access_token, late) == expired);
    ada.take(world.login(ada));
    phone = new_phone_with_passkeys();
    auto const in_time = fresh();
    world.clock.advance(300s);
    // A refused registration uses the challenge up.
    CHECK(passkeys_of(world, ada.access_token).empty());
    CHECK(send(ada.access_token, in_time) == "201");
    CHECK(send(ada.access_token, in_time) == expired);
    CHECK(passkeys_of(world, ada.access_token).size() == 1);
}

TEST_CASE("a registration that breaks a rule is refused with its cause", "[passkeys]")
{
    World const world;
    auto ada = world.new_account();
    auto const try_with = [&](Ceremony const& ceremony) {
        auto phone = new_phone_with_passkeys();
        auto const credential = phone.create(creation_options(world, ada.access_token), ceremony);
        auto const faults = refusal_of(send_registration(world, ada.access_token, credential));
        CHECK(outcome(send_registration(world, ada.access_token, credential)) == expired);
        return faults;
    };
    constexpr auto client_data = "/credential/response/clientDataJSON not_allowed";
    constexpr auto attested = "/credential/response/attestationObject not_allowed";
    CHECK(try_with({.type = "webauthn.get"}) == client_data);
    CHECK(try_with({.origin = "https://evil.example.com"}) == client_data);
    CHECK(try_with({.origin = "http://demo.auth.localhost"}) == client_data);
    CHECK(try_with({.rp_id = "demo.auth.localhost"}) == attested);
    CHECK(try_with({.clear_flags = 0x04}) == attested); // the user was not verified
    CHECK(try_with({.format = "apple"}) == attested);
    CHECK(passkeys_of(world, ada.access_token).empty());
    // A page of an allowed origin may register passkeys of the auth host.
    world.set({});
    auto const settings = world.as_master().get("/v1/settings").json();
    auto const origin = std::string(settings.at("allowedOrigins").at(0).as_string());
    auto phone = new_phone_with_passkeys();
    CHECK(send_registration(world, ada.access_token,
              phone.create(creation_options(world, ada.access_token), {.origin = origin}))
              .status == 201);
    auto const related = world.client().get("/.well-known/webauthn");
    CHECK(related.status == 200);
    CHECK(related.body == json::serialize(json::object{{"origins", {origin}}}));
}

TEST_CASE("a credential is registered once in an environment", "[passkeys]")
{
    World const world;
    auto ada = world.new_account();
    auto bob = world.new_account();
    auto phone = new_phone_with_passkeys();
    register_passkey(world, ada, phone);
    auto const with_same_id = [&](World const& at, std::string const& token) {
        auto copy = new_phone_with_passkeys();
        copy.credential_id(phone.credential_id());
        return outcome(send_registration(at, token, copy.create(creation_options(at, token))));
    };
    CHECK(with_same_id(world, bob.access_token) == "409 CONFLICT");
    CHECK(passkeys_of(world, bob.access_token).empty());
    auto const mfa = world.as(bob).get("/v1/auth/mfa").json();
    CHECK(mfa.at("factors").as_array().empty());
    CHECK(mfa.at("recoveryCodesLeft") == 0);
    CHECK(with_same_id(world, strong_token(world, phone)) == "409 CONFLICT");
}

TEST_CASE("a user has at most 20 passkeys", "[passkeys]")
{
    World const world;
    auto ada = world.new_account();
    auto phone = new_phone_with_passkeys();
    register_passkey(world, ada, phone);
    store_passkeys(world, ada, 18);
    auto const strong = strong_token(world, phone);
    auto laptop = new_phone_with_passkeys(), tablet = new_phone_with_passkeys();
    auto const credentials = std::array{
        laptop.create(creation_options(world, strong)), tablet.create(creation_options(world, strong))};
    auto const statuses = at_once(2,
        [&](int n) { return send_registration(world, strong, credentials.at(static_cast<std::size_t>(n))); });
    CHECK(statuses == std::map<unsigned, int>{{201, 1}, {409, 1}});
    CHECK(passkeys_of(world, strong).size() == 20);
    CHECK(outcome(world.with(strong).post("/v1/auth/passkeys/options", "{}")) == "409 CONFLICT");
}
