#include "factors.hpp"
#include "support/eventually.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

TEST_CASE("a sign-in with SMS as the only factor sends a code automatically", "[challenges]")
{
    World const world;
    auto const ada = world.new_account_with_sms();
    auto const before = world.messages_to(ada.phone).size();
    auto const r = world.login(ada);
    REQUIRE(r.status == 403);
    CHECK(r.header("content-type") == "application/problem+json");
    CHECK(r.header("set-cookie").empty());
    auto const asked = r.json();
    CHECK(text(asked, "error") == "mfa_required");
    CHECK(text(asked, "mfa_token").size() >= 43);
    auto const methods = boost::json::serialize(asked.at("available_methods"));
    CHECK(methods.find("\"sms\"") != std::string::npos);
    CHECK(methods.find("totp") == std::string::npos);
    CHECK_FALSE(asked.as_object().contains("accessToken"));
    CHECK(world.messages_to(ada.phone).size() == before + 1);

    auto const passed = world.verify(text(asked, "mfa_token"), "sms", world.code_sent_to(ada.phone));
    REQUIRE(passed.status == 200);
    CHECK(passed.json().at("expiresIn") == 900);
    CHECK(passed.header("set-cookie").empty()); // the request did not ask to trust the device
    CHECK(world.with(text(passed.json(), "accessToken")).get("/v1/auth/me").status == 200);
}

TEST_CASE(
    "with two factors no code is sent automatically, and either factor completes the sign-in", "[challenges]")
{
    World const world;
    auto ada = world.new_account_with_sms();
    auto const codes = ada.recovery_codes;
    world.enrol_totp(ada);
    CHECK(ada.recovery_codes == codes); // another factor adds no recovery codes
    auto const sent = world.messages_to(ada.phone).size();
    auto const asked = world.login(ada);
    REQUIRE(asked.status == 403);
    CHECK(world.messages_to(ada.phone).size() == sent);
    auto const methods = boost::json::serialize(asked.json().at("available_methods"));
    for (auto const* method : {"sms", "totp"})
        CHECK(methods.find('"' + std::string(method) + '"') != std::string::npos);
    auto const token = text(asked.json(), "mfa_token");
    CHECK(world.send(token).json().at("sendsRemaining") == 2);
    CHECK(world.verify(token, "sms", world.code_sent_to(ada.phone)).status == 200);
    CHECK(world.verify(world.challenged(ada), "totp", world.totp_code(ada, 1)).status == 200);
    CHECK(world.verify(world.challenged(ada), "recovery_code", codes[3]).status == 200);
}

TEST_CASE("a challenge works once", "[challenges]")
{
    World const world;
    auto const ada = world.new_account_with_sms();
    auto const token = world.challenged(ada);
    auto const code = world.code_sent_to(ada.phone);
    REQUIRE(world.verify(token, "sms", code).status == 200);
    CHECK(outcome(world.verify(token, "sms", code)) == expired);
    CHECK(outcome(world.verify(token, "recovery_code", ada.recovery_codes[0])) == expired);
    CHECK(outcome(world.send(token)) == expired);
    CHECK(outcome(world.verify("unknown", "sms", code)) == expired);
    CHECK(outcome(world.send("unknown")) == expired);
}

TEST_CASE("a challenge is valid for 5 minutes", "[challenges]")
{
    World const world;
    auto const ada = world.new_account_with_sms();
    auto const token = world.challenged(ada);
    SECTION("it works until exactly 5 minutes have passed")
    {
        world.clock.advance(5min);
        auto const again = world.send(token);
        CHECK(again.status == 200);
        CHECK(again.json().at("expiresIn") == 0);
        CHECK(world.verify(token, "sms", world.code_sent_to(ada.phone)).status == 200);
    }
    SECTION("it does not work longer, and a new code does not extend it")
    {
        world.clock.advance(4min);
        REQUIRE(world.send(token).status == 200);
        world.clock.advance(1min + 1ms);
        CHECK(outcome(world.verify(token, "sms", world.code_sent_to(ada.phone))) == expired);
        CHECK(outcome(world.send(token)) == expired);
    }
}

TEST_CASE("a challenge sends at most 3 codes, and each code replaces the previous one", "[challenges]")
{
    World const world;
    auto const ada = world.new_account_with_sms();
    auto const token = world.challenged(ada); // sends the 1st code
    auto const first = world.code_sent_to(ada.phone);
    auto const second = world.send(token);
    REQUIRE(second.status == 200);
    auto const said = second.json();
    CHECK(text(said, "challengeType") == "oob");
    CHECK(text(said, "oobChannel") == "sms");
    CHECK(said.at("sendsRemaining") == 1);
    CHECK(said.at("expiresIn") == 300);
    CHECK(text(said, "phone").find('*') != std::string::npos);
    CHECK(text(said, "phone") != ada.phone);
    if (world.code_sent_to(ada.phone) != first) CHECK(outcome(world.verify(token, "sms", first)) == invalid);
    CHECK(world.send(token).json().at("sendsRemaining") == 0);
    auto const sent = world.messages_to(ada.phone).size();
    CHECK(outcome(world.send(token)) == limited);
    CHECK(outcome(world.send(token)) == limited);
    CHECK(world.messages_to(ada.phone).size() == sent);
    CHECK(world.verify(token, "sms", world.code_sent_to(ada.phone)).status == 200);
}

TEST_CASE("a challenge accepts 5 attempts, and sending a new code does not add attempts", "[challenges]")
{
    World const world;
    auto const ada = world.new_account_with_sms();
    auto const token = world.challenged(ada);
    for (int left = 4; left >= 0; --left) {
        auto const r = world.verify(token, "sms", other_code(world.code_sent_to(ada.phone)));
        CHECK(outcome(r) == invalid);
        CHECK(r.json().at("attemptsRemaining") == left);
        if (left == 3 || left == 2) CHECK(world.send(token).status == 200);
    }
    CHECK(outcome(world.verify(token, "sms", world.code_sent_to(ada.phone))) == limited);
    CHECK(outcome(world.verify(token, "recovery_code", ada.recovery_codes[0])) == limited);
    CHECK(outcome(world.send(token)) == limited);
    // Another sign-in is another challenge, and the recovery code was not used up.
    CHECK(world.verify(world.challenged(ada), "recovery_code", ada.recovery_codes[0]).status == 200);
}

TEST_CASE("a new sign-in does not affect older challenges", "[challenges]")
{
    World const world;
    auto const ada = world.new_account_with_sms();
    auto const first = world.challenged(ada);
    auto const code = world.code_sent_to(ada.phone);
    auto const second = world.challenged(ada);
    if (world.code_sent_to(ada.phone) != code) CHECK(outcome(world.verify(second, "sms", code)) == invalid);
    CHECK(world.verify(first, "sms", code).status == 200);
    CHECK(world.verify(second, "sms", world.code_sent_to(ada.phone)).status == 200);
}

TEST_CASE("invalid requests to challenge and verify get 400 and are not counted", "[challenges]")
{
    World const world;
    auto const ada = world.new_account_with_sms();
    auto const token = world.challenged(ada);
    auto anyone = world.client();
    for (auto const& [type, channel] :
        {std::pair("otp", "sms"), std::pair("oob", "voice"), std::pair("", "")}) {
        auto const r = anyone.post("/v1/auth/mfa/challenge",
            body({{"mfa_token", token}, {"challenge_type", type}, {"oob_channel", channel}}));
        CHECK(outcome(r) == "400 VALIDATION_ERROR");
    }
    CHECK(outcome(anyone.post("/v1/auth/mfa/challenge", "{}")) == "400 VALIDATION_ERROR");
    CHECK(outcome(anyone.post("/v1/auth/mfa/verify", "{}")) == "400 VALIDATION_ERROR");
    CHECK(outcome(world.verify(token, "email", "123456")) == "400 VALIDATION_ERROR");
    CHECK(outcome(world.verify(token, "sms", "")) == "400 VALIDATION_ERROR");
    CHECK(outcome(world.verify(token, "sms", std::string(65, '1'))) == "400 VALIDATION_ERROR");
    CHECK(world.send(token).json().at("sendsRemaining") == 1);
    auto const r = world.verify(token, "sms", other_code(world.code_sent_to(ada.phone)));
    CHECK(r.json().at("attemptsRemaining") == 4);
}

TEST_CASE("an mfa_token works only for its own challenge", "[challenges]")
{
    World const world;
    auto const ada = world.new_account_with_sms();
    auto const token = world.challenged(ada);
    auto const code = world.code_sent_to(ada.phone);
    CHECK(world.with(token).get("/v1/auth/me").status == 401);
    for (auto const* elsewhere : {"demo", "other-sandbox"}) {
        CHECK(outcome(world.verify(token, "sms", code, false, elsewhere)) == expired);
        CHECK(outcome(world.send(token, elsewhere)) == expired);
    }
    // A code is not accepted for the challenge of another user either.
    auto const bob = world.new_account_with_sms();
    auto const his = world.challenged(bob);
    if (world.code_sent_to(bob.phone) != code) CHECK(outcome(world.verify(his, "sms", code)) == invalid);
    CHECK(outcome(world.verify(his, "recovery_code", ada.recovery_codes[0])) == invalid);
    CHECK(world.verify(token, "sms", code).status == 200);
}

TEST_CASE("a sign-in in progress ends when the factors of the account change", "[challenges]")
{
    World const world;
    auto ada = world.new_account_with_sms();
    auto caller = world.as(ada);
    auto const disable = [&](std::string const& factor, std::string const& code) {
        REQUIRE(caller.request("DELETE", "/v1/auth/mfa/" + factor, {}, code_body(code)).status == 200);
    };
    auto const ended = [&](std::string const& token, std::string const& method, std::string const& code) {
        CHECK(outcome(world.verify(token, method, code)) == expired);
        CHECK(outcome(world.verify(token, "recovery_code", ada.recovery_codes[9])) == expired);
        CHECK(outcome(world.send(token)) == expired);
    };
    SECTION("another factor is enrolled")
    {
        auto const open = world.challenged(ada);
        auto const code = world.code_sent_to(ada.phone);
        world.enrol_totp(ada);
        ended(open, "sms", code);
        ended(open, "totp", world.totp_code(ada, 1));
    }
    SECTION("one of two factors is disabled")
    {
        world.enrol_totp(ada);
        auto const open = world.challenged(ada);
        REQUIRE(world.send(open).status == 200);
        auto const code = world.code_sent_to(ada.phone);
        disable("sms", ada.recovery_codes[0]);
        ended(open, "sms", code);
        ended(open, "totp", world.totp_code(ada, 1));
    }
    SECTION("the only factor is disabled and enrolled again")
    {
        auto const open = world.challenged(ada);
        auto const code = world.code_sent_to(ada.phone);
        disable("sms", ada.recovery_codes[0]);
        ended(open, "sms", code);
        ada.recovery_codes.clear();
        world.enrol_sms(ada, ada.phone);
        ended(open, "sms", code);
    }
    // The refused attempts did not use up a recovery code.
    CHECK(world.verify(world.challenged(ada), "recovery_code", ada.recovery_codes[9]).status == 200);
}

TEST_CASE("all challenges of an account share one limit of wrong codes from a network", "[challenges]")
{
    World world;
    world.one_network = true;
    auto ada = world.new_account_with_sms();
    world.enrol_totp(ada);
    auto const guess = [&](std::string const& method, std::string const& code) {
        return outcome(world.verify(world.challenged(ada), method, code));
    };
    SECTION("20 codes in 24 hours over all routes, and recovery codes are counted separately")
    {
        auto const wrong = other_code(world.totp_code(ada, 1));
        for (int i = 0; i < 19; ++i)
            CHECK(guess("totp", wrong) == invalid);
        auto caller = world.as(ada);
        CHECK(outcome(caller.request("DELETE", "/v1/auth/mfa/totp", {}, code_body(wrong))) == invalid);
        CHECK(guess("totp", world.totp_code(ada, 1)) == limited);
        CHECK(outcome(caller.request("DELETE", "/v1/auth/mfa/totp", {}, code_body(wrong))) == limited);
        CHECK(guess("recovery_code", ada.recovery_codes[0]) == "200"); // recovery codes still work
        world.one_network = false;
        CHECK(guess("totp", wrong) == invalid); // other networks have limits of their own
        CHECK(guess("totp", world.totp_code(ada, 1)) == "200");
        world.one_network = true;
        world.clock.advance(24h);
        CHECK(guess("totp", world.totp_code(ada)) == "200");
    }
    SECTION("correct codes are not counted")
    {
        for (int i = 0; i < 25; ++i) {
            world.clock.advance(30s);
            CHECK(guess("totp", world.totp_code(ada)) == "200");
        }
    }
    SECTION("10 recovery codes in 24 hours")
    {
        for (int i = 0; i < 10; ++i)
            CHECK(guess("recovery_code", "0000-0000-0000-0000") == invalid);
        CHECK(guess("recovery_code", ada.recovery_codes[0]) == limited);
        CHECK(guess("totp", world.totp_code(ada, 1)) == "200");
        world.clock.advance(24h);
        CHECK(guess("recovery_code", ada.recovery_codes[0]) == "200");
    }
}

TEST_CASE("an account gets at most 10 sign-in codes per hour", "[challenges]")
{
    World const world;
    auto const ada = world.new_account_with_sms();
    auto const before = world.messages_to(ada.phone).size();
    for (int i = 0; i < 10; ++i)
        world.challenged(ada);
    CHECK(world.messages_to(ada.phone).size() == before + 10);
    auto const token = world.challenged(ada); // the response is still 403
    CHECK(world.messages_to(ada.phone).size() == before + 10);
    CHECK(outcome(world.send(token)) == limited);
    CHECK(world.verify(token, "recovery_code", ada.recovery_codes[0]).status == 200);
    world.clock.advance(1h);
    world.challenged(ada);
    CHECK(world.messages_to(ada.phone).size() == before + 11);
}

TEST_CASE("a phone gets at most 10 sign-in codes per hour over all tenants", "[challenges]")
{
    World const world;
    auto const ada = world.new_account_with_sms();
    auto her_other = world.new_account("other-sandbox");
    world.enrol_sms(her_other, ada.phone);
    auto const before = world.messages_to(ada.phone).size();
    for (int i = 0; i < 5; ++i) {
        world.challenged(ada);
        world.challenged(her_other);
    }
    CHECK(world.messages_to(ada.phone).size() == before + 10);
    for (Account const& account : {ada, her_other}) { // each account has half of its limit left
        auto const r = world.send(world.challenged(account), account.tenant);
        CHECK(outcome(r) == limited);
        CHECK(r.header("retry-after") == "3600");
    }
    CHECK(world.messages_to(ada.phone).size() == before + 10);
    world.clock.advance(1h);
    world.challenged(her_other);
    CHECK(world.messages_to(ada.phone).size() == before + 11);
}

TEST_CASE("a send that a limit refuses is not counted, and the previous code stays valid", "[challenges]")
{
    World const world;
    auto const ada = world.new_account_with_sms();
    for (int i = 0; i < 8; ++i)
        world.challenged(ada);
    world.clock.advance(59min);
    auto const first = world.challenged(ada);
    auto const code = world.code_sent_to(ada.phone);
    auto const second = world.challenged(ada); // the 10th code in an hour
    auto const sent = world.messages_to(ada.phone).size();
    for (int i = 0; i < 4; ++i) {
        CHECK(outcome(world.send(first)) == limited);
        CHECK(outcome(world.send(second)) == limited);
    }
    CHECK(world.messages_to(ada.phone).size() == sent);
    CHECK(world.verify(first, "sms", code).status == 200);
    world.clock.advance(1min); // the first 8 sends are an hour old
    CHECK(world.send(second).json().at("sendsRemaining") == 1);
    CHECK(world.verify(second, "sms", world.code_sent_to(ada.phone)).status == 200);
}

TEST_CASE("a challenge has the same lifetime on a replica whose clock is ahead", "[challenges]")
{
    World world;
    auto const ada = world.new_account_with_sms();
    // Each replica has its own clock, and Redis has its own clock, as in production.
    testing::FakeClock const right(world.clock.now()), ahead(world.clock.now() + 6min);
    auto const one = world.replica(right), other = world.replica(ahead);
    auto const at = [](service::Host const& host) {
        testing::HttpClient client("http://127.0.0.1:" + std::to_string(host.port()));
        client.set("Host", "demo-sandbox.auth.localhost");
        REQUIRE(testing::eventually([&] { return client.get("/.well-known/jwks.json").status == 200; }));
        return client;
    };
    auto const challenge = at(*one).post("/v1/auth/login", credentials(ada.email, ada.password));
    REQUIRE(challenge.status == 403);
    boost::json::object const proof{{"mfa_token", text(challenge.json(), "mfa_token")}, {"method", "sms"},
        {"code", world.code_sent_to(ada.phone)}};
    CHECK(at(*other).post("/v1/auth/mfa/verify", body(proof)).status == 200);
    CHECK(error_of(at(*one).post("/v1/auth/mfa/verify", body(proof))) == "MFA_CHALLENGE_EXPIRED");
    one->stop();
    other->stop();
}
