#include "factors.hpp"
#include "sms/guard.hpp"
#include "support/redis_fixture.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <regex>
#include <set>

namespace {

/// Counts `n` messages of the shared sender, as if another service with the same sender had sent them.
void send_elsewhere(World const& world, int n)
{
    observe::Logger quiet("test", observe::Level::off);
    testing::Contexts contexts;
    redis::Client client(testing::patient_client(world.redis.url(), &world.clock), contexts.all, quiet);
    sms::SenderGuard guard(client, "outbox", false, 1);
    for (int i = 0; i < n; ++i)
        REQUIRE(contexts.await(guard.take()).allowed);
}

} // namespace

TEST_CASE("a phone is enrolled with the code that was sent to it", "[sms]")
{
    World const world;
    auto ada = world.new_account();
    auto caller = world.as(ada);
    auto const phone = World::new_phone();
    auto const setup = caller.post("/v1/auth/mfa/sms/setup", setup_body(phone));
    REQUIRE(setup.status == 200);
    CHECK(text(setup.json(), "phone") == phone);
    CHECK_FALSE(text(setup.json(), "message").empty());
    CHECK_FALSE(caller.get("/v1/auth/me").json().at("phoneVerified").as_bool());
    CHECK(world.login(ada).status == 200); // the factor is not enrolled yet

    auto const messages = world.messages_to(phone);
    REQUIRE(messages.size() == 1);
    CHECK(text(messages[0], "tenant") == "demo");
    CHECK(text(messages[0], "env") == "sandbox");
    auto const code = world.code_sent_to(phone);
    CHECK(text(messages[0], "body") ==
          "A tenant: " + code + " is your verification code, sent by " + World::provider +
              ". Msg frequency varies. Msg & data rates may apply. Reply STOP to opt out, HELP for help.");

    auto const confirmed = caller.post("/v1/auth/mfa/sms/confirm", code_body(code));
    REQUIRE(confirmed.status == 200);
    CHECK(confirmed.header("cache-control") == "no-store");
    std::set<std::string> codes;
    for (auto const& item : confirmed.json().at("recoveryCodes").as_array()) {
        std::string const one(item.as_string());
        CHECK(std::regex_match(one, std::regex("[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){3}")));
        codes.insert(one);
    }
    CHECK(codes.size() == 10);
    auto const me = caller.get("/v1/auth/me").json();
    CHECK(text(me, "phone") == phone);
    CHECK(me.at("phoneVerified").as_bool());
    auto const factors = caller.get("/v1/auth/mfa").body;
    CHECK(factors.find(phone) == std::string::npos); // masked
    CHECK(factors.find(*codes.begin()) == std::string::npos);

    CHECK(outcome(caller.post("/v1/auth/mfa/sms/confirm", code_body(code))) == setup_required);
    CHECK(outcome(caller.post("/v1/auth/mfa/sms/setup", setup_body(World::new_phone()))) ==
          "403 REAUTHENTICATION_REQUIRED");
    ada.phone = phone;
    world.reauthenticate(ada);
    CHECK(outcome(world.as(ada).post("/v1/auth/mfa/sms/setup", setup_body(World::new_phone()))) == already);
}

TEST_CASE("an invalid phone number is refused", "[sms]")
{
    World const world;
    auto const ada = world.new_account();
    auto caller = world.as(ada);
    for (auto const* wrong : {"", "491511234567", "+0491511234567", "+49 151 1234567", "+49151123456789012",
             "+999123456", "+4915a1234567", "tel:+491511234567", "+"}) {
        INFO(wrong);
        auto const r = caller.post("/v1/auth/mfa/sms/setup", setup_body(wrong));
        CHECK(outcome(r) == "400 VALIDATION_ERROR");
        CHECK(text(r.json().at("errors").at(0), "pointer") == "/phone");
    }
    CHECK(outcome(caller.post("/v1/auth/mfa/sms/setup", "{}")) == "400 VALIDATION_ERROR");
    CHECK(outcome(caller.post("/v1/auth/mfa/sms/setup", R"({"phone":491511234567})")) ==
          "400 VALIDATION_ERROR");
    // None of these requests was counted as a send.
    CHECK(caller.post("/v1/auth/mfa/sms/setup", setup_body(World::new_phone())).status == 200);
}

TEST_CASE("enrolment requires a password", "[sms]")
{
    World const world;
    auto const ada = world.new_account();
    // Users of an identity provider have no password. test_peers.cpp tests a real identity provider.
    world.postgres.query("UPDATE users SET password_hash = NULL WHERE user_id = '" + ada.user_id + "'");
    auto caller = world.as(ada);
    CHECK(outcome(caller.post("/v1/auth/mfa/sms/setup", setup_body(World::new_phone()))) ==
          "403 MFA_PASSWORD_REQUIRED");
}

TEST_CASE("an enrolment is valid for 10 minutes and accepts 5 attempts", "[sms]")
{
    World const world;
    auto const ada = world.new_account();
    auto caller = world.as(ada);
    auto const phone = World::new_phone();
    auto const confirm = [&](std::string const& code) {
        return caller.post("/v1/auth/mfa/sms/confirm", code_body(code));
    };
    CHECK(outcome(confirm("123456")) == setup_required);
    REQUIRE(caller.post("/v1/auth/mfa/sms/setup", setup_body(phone)).status == 200);
    auto const code = world.code_sent_to(phone);

    SECTION("it is valid until exactly 10 minutes have passed")
    {
        world.clock.advance(10min);
        CHECK(confirm(code).status == 200);
    }
    SECTION("it is not valid after 10 minutes")
    {
        world.clock.advance(10min + 1ms);
        CHECK(outcome(confirm(code)) == setup_required);
    }
    SECTION("the 5th attempt is the last")
    {
        for (int left = 4; left >= 1; --left) {
            auto const r = confirm(other_code(code));
            CHECK(outcome(r) == invalid);
            CHECK(r.json().at("attemptsRemaining") == left);
        }
        CHECK(confirm(code).status == 200);
    }
    SECTION("after 5 wrong codes the right one is refused")
    {
        for (int i = 0; i < 5; ++i)
            CHECK(outcome(confirm(other_code(code))) == invalid);
        CHECK(outcome(confirm(code)) == limited);
        CHECK(caller.post("/v1/auth/mfa/sms/setup", setup_body(phone)).status == 200);
        CHECK(confirm(world.code_sent_to(phone)).status == 200);
    }
    SECTION("a new setup replaces phone and code")
    {
        auto const other = World::new_phone();
        REQUIRE(caller.post("/v1/auth/mfa/sms/setup", setup_body(other)).status == 200);
        if (auto const fresh = world.code_sent_to(other); fresh != code) {
            CHECK(outcome(confirm(code)) == invalid);
            CHECK(confirm(fresh).status == 200);
        }
    }
    SECTION("a malformed code is wrong, and an empty or missing one is not counted")
    {
        CHECK(outcome(confirm("")) == "400 VALIDATION_ERROR");
        CHECK(outcome(caller.post("/v1/auth/mfa/sms/confirm", "{}")) == "400 VALIDATION_ERROR");
        for (auto const& wrong : {code.substr(0, 5), code + "0", " " + code, std::string("abcdef")})
            CHECK(outcome(confirm(wrong)) == invalid);
        CHECK(confirm(code).status == 200);
    }
}

TEST_CASE("enrolment codes are limited per user, phone and network", "[sms]")
{
    World const world;
    auto const setup = [&](testing::HttpClient& caller, std::string const& phone) {
        return caller.post("/v1/auth/mfa/sms/setup", setup_body(phone));
    };
    SECTION("3 per user in 10 minutes")
    {
        auto ada = world.new_account();
        auto caller = world.as(ada);
        for (int i = 0; i < 3; ++i)
            CHECK(setup(caller, World::new_phone()).status == 200);
        auto const r = setup(caller, World::new_phone());
        CHECK(outcome(r) == limited);
        CHECK_FALSE(r.header("retry-after").empty());
        world.clock.advance(10min - 1ms);
        ada.take(world.login(ada)); // the set-up needs a fresh authentication
        caller = world.as(ada);
        CHECK(outcome(setup(caller, World::new_phone())) == limited);
        world.clock.advance(1ms);
        CHECK(setup(caller, World::new_phone()).status == 200);
    }
    SECTION("5 per phone in an hour, 10 in a day, over all tenants")
    {
        auto const phone = World::new_phone();
        int sent = 0;
        auto const once_more = [&] {
            auto caller = world.as(world.new_account(sent % 2 == 0 ? "demo" : "other"));
            auto const r = setup(caller, phone);
            sent += r.status == 200 ? 1 : 0;
            return outcome(r);
        };
        for (int i = 0; i < 5; ++i)
            CHECK(once_more() == "200");
        CHECK(once_more() == limited);
        world.clock.advance(1h);
        for (int i = 0; i < 5; ++i)
            CHECK(once_more() == "200");
        world.clock.advance(1h);
        CHECK(once_more() == limited);
        world.clock.advance(22h);
        CHECK(once_more() == "200");
        CHECK(world.messages_to(phone).size() == 11);
    }
    SECTION("20 per network in an hour")
    {
        for (int i = 0; i <= 20; ++i) {
            auto caller = world.as(world.new_account());
            caller.set("X-Forwarded-For", "203.0.113.9");
            CHECK(outcome(setup(caller, World::new_phone())) == (i < 20 ? "200" : limited));
        }
        auto caller = world.as(world.new_account());
        CHECK(setup(caller, World::new_phone()).status == 200);
    }
}

TEST_CASE("disabling SMS requires a TOTP or recovery code, and the phone number is kept", "[sms]")
{
    World const world;
    auto ada = world.new_account_with_sms();
    auto caller = world.as(ada);
    auto const remove = [&](std::string const& path, std::string const& code) {
        return caller.request("DELETE", path, {}, code_body(code));
    };
    SECTION("with a recovery code, as the last factor")
    {
        auto const trusting = world.verify(world.challenged(ada), "sms", world.code_sent_to(ada.phone), true);
        REQUIRE(trusting.status == 200);
        CHECK(outcome(remove("/v1/auth/mfa/sms", "0000-0000-0000-0000")) == invalid);
        auto const r = remove("/v1/auth/mfa/sms", ada.recovery_codes[0]);
        CHECK(r.status == 200);
        CHECK(r.body == R"({"disabled":true})");
        auto const me = caller.get("/v1/auth/me").json();
        CHECK(text(me, "phone") == ada.phone);
        CHECK_FALSE(me.at("phoneVerified").as_bool());
        auto const factors = caller.get("/v1/auth/mfa").json();
        CHECK(factors.at("recoveryCodesLeft") == 0);
        CHECK(caller.get("/v1/auth/mfa/devices").json().at("items").as_array().empty());
        CHECK(world.login(ada).status == 200);
        CHECK(outcome(remove("/v1/auth/mfa/sms", ada.recovery_codes[1])) == setup_required);
        ada.recovery_codes.clear();
        world.enrol_sms(ada, ada.phone); // enrolling again works
        CHECK(world.login(ada).status == 403);
    }
    SECTION("with a TOTP code; the TOTP factor is kept")
    {
        world.enrol_totp(ada);
        CHECK(remove("/v1/auth/mfa/sms", world.totp_code(ada, 1)).status == 200);
        CHECK(caller.get("/v1/auth/mfa").json().at("recoveryCodesLeft") == 10);
        CHECK(world.login(ada).status == 403);
        CHECK(outcome(remove("/v1/auth/mfa/sms", world.totp_code(ada, 1))) == setup_required);
        CHECK(remove("/v1/auth/mfa/totp", ada.recovery_codes[0]).status == 200);
        CHECK(world.login(ada).status == 200);
        CHECK(outcome(remove("/v1/auth/mfa/totp", ada.recovery_codes[1])) == setup_required);
    }
    SECTION("not with a code that was sent by SMS")
    {
        world.challenged(ada);
        CHECK(remove("/v1/auth/mfa/sms", world.code_sent_to(ada.phone)).status == 400);
        CHECK(world.login(ada).status == 403);
    }
}

TEST_CASE("messages name the brand in the GSM-7 alphabet", "[sms]")
{
    World const world;
    auto const said = [&](char const* brand) {
        world.set({{"brand", brand}});
        auto const ada = world.new_account_with_sms();
        auto const message = text(world.messages_to(ada.phone).back(), "body");
        return message.substr(0, message.find(": "));
    };
    CHECK(said("Caf\u00e9") == "Caf\u00e9"); // é is in GSM-7
    CHECK(said("\u0141\u00f3d\u017a") == "Lodz");
    CHECK_FALSE(said("\u65e5\u672c").empty());
}

TEST_CASE("messages are sent only to the tenant's countries, and never to premium-rate numbers", "[sms]")
{
    World const world;
    auto const setup = [&](std::string const& phone, std::string const& tenant = "demo-sandbox") {
        auto caller = world.as(world.new_account(tenant));
        return outcome(caller.post("/v1/auth/mfa/sms/setup", setup_body(phone)));
    };
    CHECK(setup("+979123456789") == undeliverable);
    auto const ada = world.new_account_with_sms();
    world.set({{"smsCountries", boost::json::array{"US"}}});
    CHECK(setup(World::new_phone()) == undeliverable);
    CHECK(setup("+12015550123") == "200");
    CHECK(setup(World::new_phone(), "demo") == "200");
    // The sign-in still gets 403. The response to a request for a code states why no code was sent, and the
    // send is not counted.
    auto const token = world.challenged(ada);
    CHECK(outcome(world.send(token)) == undeliverable);
    world.set({{"smsCountries", nullptr}});
    CHECK(world.send(token).json().at("sendsRemaining") == 2);
}

TEST_CASE(
    "an unverified shared sender sends at most 500 messages per day over all tenants and services", "[sms]")
{
    World const world(
        {.environment = {{"SMS_SENDER_VERIFIED", "false"}}, .limits = World::sends_from_sandbox});
    auto const ada = world.new_account_with_sms(); // the 1st message
    auto stranger = world.as(world.new_account("other"));
    auto const before = world.messages_to(ada.phone).size();
    send_elsewhere(world, 497);
    auto const token = world.challenged(ada);                  // the 499th
    CHECK(world.send(token).json().at("sendsRemaining") == 1); // the 500th
    auto const refused = world.send(token);
    CHECK(outcome(refused) == unavailable);
    CHECK(refused.header("retry-after") == "86400");
    CHECK(outcome(stranger.post("/v1/auth/mfa/sms/setup", setup_body(World::new_phone()))) == unavailable);
    CHECK(outcome(world.send(world.challenged(ada))) == unavailable);
    CHECK(world.messages_to(ada.phone).size() == before + 2);

    world.clock.advance(24h);
    CHECK(world.send(world.challenged(ada)).json().at("sendsRemaining") == 1);
    CHECK(world.messages_to(ada.phone).size() == before + 4);
}
