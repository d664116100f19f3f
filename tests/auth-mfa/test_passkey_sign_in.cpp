#include "crypto/encoding.hpp"
#include "passkeys.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <utility>

// Proofs with passkeys: sign-in, second factor, fresh authentication. test_passkey_rules.cpp has the rules
// and limits of sign-ins.

namespace {

namespace json = boost::json;

constexpr std::uint8_t user_verified = 0x04;

/// The number of entries of the audit log with this action.
std::ptrdiff_t audited(World const& world, std::string const& action)
{
    auto master = world.as_master();
    auto const entries = all_items(master, "/v1/audit");
    return std::ranges::count_if(
        entries, [&](json::value const& entry) { return text(entry, "action") == action; });
}

testing::HttpResponse verify(
    World const& world, std::string const& mfa_token, json::object const& credential, bool trust = false)
{
    return world.client().post(
        "/v1/auth/mfa/verify", body({{"mfa_token", mfa_token}, {"method", "passkey"},
                                   {"credential", credential}, {"trustDevice", trust}}));
}

/// The options for the second factor of this sign-in.
json::object options_for(World const& world, std::string const& mfa_token)
{
    return request_options(world.client(), {{"mfa_token", mfa_token}});
}

testing::HttpResponse reauthenticate(
    World const& world, std::string const& access_token, json::object const& credential)
{
    return world.with(access_token).post("/v1/auth/reauthenticate", body({{"credential", credential}}));
}

} // namespace

TEST_CASE("a user signs in with a passkey alone", "[passkeys]")
{
    World const world;
    Owner ada(world);
    auto const options = request_options(world.client());
    CHECK(text(options, "rpId") == "demo-sandbox.auth.localhost");
    CHECK(text(options, "userVerification") == "required");
    CHECK(options.at("timeout").to_number<int>() == 300'000);
    CHECK(options.at("allowCredentials").as_array().empty());
    CHECK(crypto::base64url::decode(text(options, "challenge"))->size() == 32);
    world.clock.advance(10s);
    auto const r = send_assertion(world, ada.phone.get(options));
    INFO(r.body);
    REQUIRE(r.status == 200);
    CHECK(r.header("cache-control") == "no-store");
    CHECK(strength_of(r) == R"(aal2 ["hwk","mfa"])");
    auto const answer = r.json();
    CHECK(answer.at("expiresIn") == 900);
    CHECK(text(answer.at("user"), "userId") == ada.account.user_id);
    auto hers = ada.account;
    hers.take(r);
    auto const listed = world.as(hers).get("/v1/auth/passkeys").json().at("items").at(0);
    CHECK(text(listed, "lastUsedAt") == core::to_rfc3339(world.clock.now()));
    CHECK(world.as(hers).get("/v1/auth/sessions").json().at("items").at(0).at("amr") ==
          json::array{"hwk", "mfa"});
    CHECK(results_of(world, hers, "sign_in").front() == "success");
    // A refresh keeps the strength, which suffices for changes of factors.
    auto const refreshed =
        world.client().post("/v1/auth/refresh", body({{"refreshToken", hers.refresh_token}}));
    CHECK(strength_of(refreshed) == R"(aal2 ["hwk","mfa"])");
    CHECK(world.as(hers).post("/v1/auth/mfa/totp/setup", "{}").status == 200);
}

TEST_CASE("passkeys of all accepted algorithms sign in, also those of security keys", "[passkeys]")
{
    World const world;
    using enum Authenticator::Key;
    for (auto const key : {es256, eddsa, rs256}) {
        auto ada = world.new_account();
        auto phone = new_phone_with_passkeys(key);
        register_passkey(world, ada, phone);
        CHECK(strength_of(sign_in_with(world, phone)) == R"(aal2 ["hwk","mfa"])");
    }
}

TEST_CASE("a sign-in with a passkey is refused if anything is wrong", "[passkeys]")
{
    World const world;
    Owner ada(world), bob(world);
    auto const refuse = [&](Ceremony const& ceremony) {
        auto const r = sign_in_with(world, ada.phone, ceremony);
        CHECK(outcome(r) == refused_passkey);
        return text(r.json(), "detail");
    };
    auto const detail = refuse({.wrong_signature = true});
    CHECK(refuse({.rp_id = "demo.auth.localhost"}) == detail);
    CHECK(refuse({.user_handle = false}) == detail);
    // Mistakes of the app are named.
    CHECK(refuse({.type = "webauthn.create"}) != detail);
    CHECK(refuse({.origin = "https://evil.example.com"}) != detail);
    CHECK(refuse({.clear_flags = user_verified}) != detail);
    CHECK(results_of(world, ada.account, "sign_in") == std::vector<std::string>{"wrong_passkey",
                                                           "wrong_passkey", "wrong_passkey", "wrong_passkey",
                                                           "wrong_passkey", "wrong_passkey", "success"});
    CHECK(audited(world, "sign_in.refused") == 6);

    // Another user's handle
    auto stolen = ada.phone.get(request_options(world.client()));
    stolen.at("response").as_object()["userHandle"] = crypto::base64url::encode(bob.phone.user_handle());
    auto const of_another = send_assertion(world, stolen);
    CHECK(outcome(of_another) == refused_passkey);
    CHECK(text(of_another.json(), "detail") == detail);

    // An unknown credential
    auto unknown = new_phone_with_passkeys();
    auto options = creation_options(
        world, bob.account.access_token = text(sign_in_with(world, bob.phone).json(), "accessToken"));
    options["excludeCredentials"] = json::array();
    unknown.create(options);
    auto const of_nobody = sign_in_with(world, unknown);
    CHECK(outcome(of_nobody) == refused_passkey);
    CHECK(text(of_nobody.json(), "detail") == detail);

    CHECK(outcome(world.client().post("/v1/auth/login/passkey", "{}")) == "400 VALIDATION_ERROR");
    CHECK(sign_in_with(world, ada.phone).status == 200);
}

TEST_CASE("a challenge is used once, in its environment, within 5 minutes", "[passkeys]")
{
    World const world;
    Owner ada(world);
    auto const assertion = ada.phone.get(request_options(world.client()));
    CHECK(send_assertion(world, assertion).status == 200);
    CHECK(outcome(send_assertion(world, assertion)) == expired);

    // A wrong answer uses it up, too.
    auto const options = request_options(world.client());
    CHECK(
        outcome(send_assertion(world, ada.phone.get(options, {.wrong_signature = true}))) == refused_passkey);
    CHECK(outcome(send_assertion(world, ada.phone.get(options))) == expired);

    auto const in_time = ada.phone.get(request_options(world.client()));
    world.clock.advance(300s);
    CHECK(send_assertion(world, in_time).status == 200);
    auto const late = ada.phone.get(request_options(world.client()));
    world.clock.advance(301s);
    CHECK(outcome(send_assertion(world, late)) == expired);

    for (auto const* const elsewhere : {"demo", "other-sandbox"}) {
        auto of_other = request_options(world.client(elsewhere));
        CHECK(text(of_other, "rpId") == std::string(elsewhere) + ".auth.localhost");
        of_other["rpId"] = "demo-sandbox.auth.localhost";
        auto const proof = ada.phone.get(of_other);
        CHECK(outcome(send_assertion(world, proof)) == expired);
        // There, the credential is unknown.
        CHECK(outcome(send_assertion(world, proof, elsewhere)) == refused_passkey);
    }
    // A challenge for a registration proves nothing.
    ada.account.take(sign_in_with(world, ada.phone));
    auto for_registration = request_options(world.client());
    for_registration["challenge"] = creation_options(world, ada.account.access_token).at("challenge");
    CHECK(outcome(send_assertion(world, ada.phone.get(for_registration))) == expired);
}

TEST_CASE("of requests with one challenge, only one succeeds", "[passkeys]")
{
    World const world;
    Owner ada(world);
    for (int round = 0; round < 5; ++round) {
        auto const options = request_options(world.client());
        std::array const assertions{ada.phone.get(options), ada.phone.get(options)};
        CHECK(at_once(2, [&](int n) {
            return send_assertion(world, assertions.at(static_cast<std::size_t>(n)));
        }) == std::map<unsigned, int>{{200, 1}, {410, 1}});
        auto const same = ada.phone.get(request_options(world.client()));
        CHECK(at_once(3, [&](int) { return send_assertion(world, same); }) ==
              std::map<unsigned, int>{{200, 1}, {410, 2}});
    }
}

TEST_CASE("a counter that does not grow is refused and recorded", "[passkeys]")
{
    World const world;
    Owner ada(world);
    auto clone = ada.phone.clone();
    CHECK(sign_in_with(world, ada.phone).status == 200);
    CHECK(sign_in_with(world, ada.phone).status == 200);
    CHECK(outcome(sign_in_with(world, clone)) == refused_passkey); // behind
    CHECK(outcome(sign_in_with(world, clone)) == refused_passkey); // as far as the phone
    CHECK(audited(world, "passkey.counter_regressed") == 2);
    CHECK(results_of(world, ada.account, "passkey") ==
          std::vector<std::string>{"counter_regressed", "counter_regressed"});
    CHECK(sign_in_with(world, clone).status == 200); // further: the counter cannot tell
    CHECK(outcome(sign_in_with(world, ada.phone)) == refused_passkey);

    // Two assertions with one counter at the same time, with a challenge each
    for (int round = 0; round < 5; ++round) {
        ada.phone.sign_count = 100U + static_cast<unsigned>(round);
        clone.sign_count = ada.phone.sign_count;
        std::array const assertions{
            ada.phone.get(request_options(world.client())), clone.get(request_options(world.client()))};
        CHECK(at_once(2, [&](int n) {
            return send_assertion(world, assertions.at(static_cast<std::size_t>(n)));
        }) == std::map<unsigned, int>{{200, 1}, {401, 1}});
    }

    // An authenticator that does not count
    auto bob = world.new_account();
    auto cloud = new_phone_with_passkeys();
    cloud.counts = false;
    register_passkey(world, bob, cloud);
    CHECK(sign_in_with(world, cloud).status == 200);
    CHECK(sign_in_with(world, cloud).status == 200);
}

TEST_CASE("whether a passkey is backed up may change, and whether it can be may not", "[passkeys]")
{
    World const world;
    Owner ada(world);
    CHECK(outcome(sign_in_with(world, ada.phone, {.set_flags = 0x18})) == refused_passkey);
    auto bob = world.new_account();
    auto cloud = new_phone_with_passkeys();
    cloud.synchronised = true;
    CHECK(register_passkey(world, bob, cloud).at("backedUp") == true);
    bob.take(sign_in_with(world, cloud, {.clear_flags = 0x10}));
    CHECK(world.as(bob).get("/v1/auth/passkeys").json().at("items").at(0).at("backedUp") == false);
}

TEST_CASE("a passkey is a second factor after the password", "[passkeys]")
{
    World const world;
    Owner ada(world), bob(world);
    auto const asked = world.login(ada.account);
    CHECK(outcome(asked) == "403 mfa_required");
    CHECK(methods_of(asked) == R"(["passkey","recovery_code"])");
    auto const mfa_token = text(asked.json(), "mfa_token");
    auto const options = options_for(world, mfa_token);
    CHECK(text(options, "userVerification") == "preferred");
    auto const& allowed = options.at("allowCredentials").as_array();
    REQUIRE(allowed.size() == 1);
    CHECK(text(allowed[0], "id") == crypto::base64url::encode(ada.phone.credential_id()));
    CHECK(text(allowed[0], "type") == "public-key");
    CHECK(allowed[0].at("transports") == json::array{"internal", "hybrid"});

    SECTION("also without user verification and user handle")
    {
        auto const r = verify(world, mfa_token,
            ada.phone.get(options, {.clear_flags = user_verified, .user_handle = false}), true);
        INFO(r.body);
        REQUIRE(r.status == 200);
        CHECK(strength_of(r) == R"(aal2 ["pwd","hwk","mfa"])");
        CHECK_FALSE(r.json().as_object().contains("user"));
        auto browser = world.client();
        browser.set("Cookie", device_cookie_of(r));
        CHECK(strength_of(world.login(ada.account, browser)) == R"(aal1 ["pwd"])");
        CHECK(outcome(verify(
                  world, mfa_token, ada.phone.get(options_for(world, world.challenged(ada.account))))) ==
              expired); // the sign-in is complete
    }
    SECTION("not a wrong one, or that of another user")
    {
        auto const wrong = verify(world, mfa_token, ada.phone.get(options, {.wrong_signature = true}));
        CHECK(outcome(wrong) == invalid);
        CHECK(wrong.json().at("attemptsRemaining") == 4);
        auto any = request_options(world.client());
        CHECK(outcome(verify(world, mfa_token, bob.phone.get(any))) == invalid);
        CHECK(outcome(verify(world, mfa_token, ada.phone.get(any))) == expired); // the passkey's challenge
        auto const malformed = world.client().post("/v1/auth/mfa/verify",
            body({{"mfa_token", mfa_token}, {"method", "passkey"}, {"code", "123456"}}));
        CHECK(testing::faults_of(malformed) == "/credential required");
        for (int left = 1; left >= 0; --left) {
            auto const again = verify(
                world, mfa_token, ada.phone.get(options_for(world, mfa_token), {.wrong_signature = true}));
            CHECK(outcome(again) == invalid);
            CHECK(again.json().at("attemptsRemaining") == left);
        }
        auto const open = request_options(world.as(ada.account));
        CHECK(outcome(verify(world, mfa_token, ada.phone.get(open))) == limited);
        CHECK(results_of(world, ada.account, "sign_in").front() == "wrong_passkey");
        CHECK(outcome(world.client().post("/v1/auth/passkeys/challenge", body({{"mfa_token", "unknown"}}))) ==
              expired);
    }
    SECTION("and no text message is sent if the user has a phone, too")
    {
        ada.account.access_token = text(sign_in_with(world, ada.phone).json(), "accessToken");
        auto const codes = std::exchange(ada.account.recovery_codes, {});
        world.enrol_sms(ada.account);
        auto const sent = world.messages_to(ada.account.phone).size();
        auto const again = world.login(ada.account);
        CHECK(methods_of(again) == R"(["sms","passkey","recovery_code"])");
        CHECK(world.messages_to(ada.account.phone).size() == sent);
        auto const by_code = text(again.json(), "mfa_token");
        REQUIRE(world.send(by_code).status == 200);
        CHECK(world.verify(by_code, "sms", world.code_sent_to(ada.account.phone)).status == 200);
    }
}

TEST_CASE("of parallel second factors with one assertion, one opens a session", "[passkeys]")
{
    World const world;
    Owner ada(world);
    auto const mfa_token = world.challenged(ada.account);
    auto const assertion = ada.phone.get(options_for(world, mfa_token));
    CHECK(at_once(3, [&](int) { return verify(world, mfa_token, assertion); }) ==
          std::map<unsigned, int>{{200, 1}, {410, 2}});
}

TEST_CASE("a passkey renews the authentication of a session", "[passkeys]")
{
    World const world;
    Owner ada(world), bob(world);
    world.clock.advance(400s);
    auto const options = [&] { return request_options(world.as(ada.account)); };
    CHECK(options().at("allowCredentials").as_array().size() == 1);
    CHECK(text(options(), "userVerification") == "required");
    auto const token = ada.account.access_token;
    CHECK(outcome(reauthenticate(world, token, ada.phone.get(options(), {.wrong_signature = true}))) ==
          refused_passkey);
    CHECK(outcome(reauthenticate(world, token, ada.phone.get(options(), {.clear_flags = user_verified}))) ==
          refused_passkey);
    CHECK(outcome(reauthenticate(world, token, bob.phone.get(request_options(world.client())))) ==
          refused_passkey);
    CHECK(results_of(world, ada.account, "reauthentication") ==
          std::vector<std::string>{"wrong_passkey", "wrong_passkey", "wrong_passkey"});
    CHECK(outcome(world.as(ada.account)
                  .post("/v1/auth/reauthenticate", body({{"credential", ada.phone.get(options())},
                                                       {"password", "x"}}))) == "400 VALIDATION_ERROR");
    CHECK(outcome(world.as(ada.account)
                  .post("/v1/auth/reauthenticate", R"({"method":"passkey","code":"123456"})")) ==
          "400 VALIDATION_ERROR");

    auto const assertion = ada.phone.get(options());
    auto const r = reauthenticate(world, token, assertion);
    INFO(r.body);
    REQUIRE(r.status == 200);
    CHECK(strength_of(r) == R"(aal2 ["pwd","hwk","mfa"])");
    auto const fresh = text(r.json(), "accessToken");
    CHECK(claims_of(fresh).at("auth_time") == core::unix_seconds(world.clock.now()));
    CHECK(claims_of(fresh).at("sid") == claims_of(token).at("sid"));
    CHECK(outcome(reauthenticate(world, token, assertion)) == expired);
    CHECK(world.with(fresh).post("/v1/auth/mfa/recovery-codes", "{}").status == 200);
    CHECK(world.with(fresh).del("/v1/auth/me").status == 200);
    CHECK(outcome(sign_in_with(world, ada.phone)) == refused_passkey); // deleted with the account
}

TEST_CASE("without Redis, passkeys are unavailable and nothing else is counted", "[passkeys]")
{
    World world;
    Owner ada(world);
    auto const assertion = ada.phone.get(request_options(world.client()));
    world.redis.stop();
    CHECK(outcome(world.client().post("/v1/auth/passkeys/challenge", "{}")) == unavailable);
    CHECK(outcome(send_assertion(world, assertion)) == unavailable);
}
