#include "testing/eventually.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

#include <regex>
#include <set>

namespace {

std::string setup_body(std::string const& phone)
{
    return body({{"phone", phone}});
}

std::string code_body(std::string const& code)
{
    return body({{"code", code}});
}

/// What a refusal is: `400 MFA_INVALID_CODE`; the status alone when it is none.
std::string outcome(testing::HttpResponse const& r)
{
    return std::to_string(r.status) + (r.status < 400 ? "" : " " + error_of(r));
}

/// The scope's settings, as the operator changes them, once they are in force.
void set(World const& world, boost::json::object const& settings, std::string const& tenant = "demo-sandbox")
{
    REQUIRE(world.as_master(tenant).patch("/v1/settings", body(settings)).status == 200);
    std::this_thread::sleep_for(500ms); // the directory hears of it
}

constexpr char const* invalid = "400 MFA_INVALID_CODE";
constexpr char const* limited = "429 MFA_RATE_LIMITED";
constexpr char const* expired = "410 MFA_CHALLENGE_EXPIRED";
constexpr char const* setup_required = "409 MFA_SETUP_REQUIRED";
constexpr char const* already = "409 MFA_ALREADY_ENABLED";

} // namespace

TEST_CASE("a phone is enrolled with the code that was sent to it", "[factors]")
{
    World const world;
    auto const ada = world.new_account();
    auto caller = world.as(ada);
    auto const phone = World::new_phone();
    auto const setup = caller.post("/v1/auth/mfa/sms/setup", setup_body(phone));
    REQUIRE(setup.status == 200);
    CHECK(text(setup.json(), "phone") == phone);
    CHECK_FALSE(text(setup.json(), "message").empty());
    CHECK_FALSE(caller.get("/v1/auth/me").json().at("phoneVerified").as_bool());
    CHECK(world.login(ada).status == 200); // nothing is in force yet

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
    CHECK(outcome(caller.post("/v1/auth/mfa/sms/setup", setup_body(World::new_phone()))) == already);
}

TEST_CASE("what is no phone number is refused", "[factors]")
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
    // None of these was counted as a send.
    CHECK(caller.post("/v1/auth/mfa/sms/setup", setup_body(World::new_phone())).status == 200);
}

TEST_CASE("an enrolment lives for 10 minutes and takes 5 codes", "[factors]")
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

    SECTION("10 minutes exactly")
    {
        world.clock.advance(10min);
        CHECK(confirm(code).status == 200);
    }
    SECTION("a moment more")
    {
        world.clock.advance(10min + 1ms);
        CHECK(outcome(confirm(code)) == setup_required);
    }
    SECTION("the 5th code is the last")
    {
        for (int left = 4; left >= 1; --left) {
            auto const r = confirm(other_code(code));
            CHECK(outcome(r) == invalid);
            CHECK(r.json().at("attemptsRemaining") == left);
        }
        CHECK(confirm(code).status == 200);
    }
    SECTION("after 5 wrong ones the right one is too late")
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
    SECTION("what has another form is wrong too; nothing at all is not counted")
    {
        CHECK(outcome(confirm("")) == "400 VALIDATION_ERROR");
        CHECK(outcome(caller.post("/v1/auth/mfa/sms/confirm", "{}")) == "400 VALIDATION_ERROR");
        for (auto const& wrong : {code.substr(0, 5), code + "0", " " + code, std::string("abcdef")})
            CHECK(outcome(confirm(wrong)) == invalid);
        CHECK(confirm(code).status == 200);
    }
}

TEST_CASE("codes to enrol with are sent sparingly", "[factors]")
{
    World const world;
    auto const setup = [&](testing::HttpClient& caller, std::string const& phone) {
        return caller.post("/v1/auth/mfa/sms/setup", setup_body(phone));
    };
    SECTION("3 of a user in 10 minutes")
    {
        auto const ada = world.new_account();
        auto caller = world.as(ada);
        for (int i = 0; i < 3; ++i)
            CHECK(setup(caller, World::new_phone()).status == 200);
        auto const r = setup(caller, World::new_phone());
        CHECK(outcome(r) == limited);
        CHECK_FALSE(r.header("retry-after").empty());
        world.clock.advance(10min - 1ms);
        CHECK(outcome(setup(caller, World::new_phone())) == limited);
        world.clock.advance(1ms);
        CHECK(setup(caller, World::new_phone()).status == 200);
    }
    SECTION("5 to a phone in an hour, 10 in a day, over all tenants")
    {
        auto const phone = World::new_phone();
        int sent = 0;
        auto const once_more = [&] {
            static constexpr std::array<char const*, 4> tenants{
                "demo", "demo-sandbox", "other", "other-sandbox"};
            auto caller = world.as(world.new_account(tenants[static_cast<std::size_t>(sent % 4)]));
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
    SECTION("20 from an address in an hour")
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

TEST_CASE("sign-in with SMS alone sends a code by itself", "[factors]")
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
    CHECK(passed.header("set-cookie").empty()); // not asked for
    CHECK(world.with(text(passed.json(), "accessToken")).get("/v1/auth/me").status == 200);
}

TEST_CASE("a challenge is used once", "[factors]")
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

TEST_CASE("a challenge lives for 5 minutes", "[factors]")
{
    World const world;
    auto const ada = world.new_account_with_sms();
    auto const token = world.challenged(ada);
    SECTION("exactly")
    {
        world.clock.advance(5min);
        auto const again = world.send(token);
        CHECK(again.status == 200);
        CHECK(again.json().at("expiresIn") == 0);
        CHECK(world.verify(token, "sms", world.code_sent_to(ada.phone)).status == 200);
    }
    SECTION("not a moment more, and a new code does not make it longer")
    {
        world.clock.advance(4min);
        REQUIRE(world.send(token).status == 200);
        world.clock.advance(1min + 1ms);
        CHECK(outcome(world.verify(token, "sms", world.code_sent_to(ada.phone))) == expired);
        CHECK(outcome(world.send(token)) == expired);
    }
}

TEST_CASE("a challenge sends 3 codes, each in place of the one before", "[factors]")
{
    World const world;
    auto const ada = world.new_account_with_sms();
    auto const token = world.challenged(ada); // the 1st
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

TEST_CASE("a challenge takes 5 codes, and new ones sent do not make it more", "[factors]")
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

TEST_CASE("a new sign-in leaves older challenges alone", "[factors]")
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

TEST_CASE("what challenge and verify do not understand is 400 and not counted", "[factors]")
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

TEST_CASE("an mfa_token is good for its challenge alone", "[factors]")
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
    // Nor does a code pass another user's.
    auto const bob = world.new_account_with_sms();
    auto const his = world.challenged(bob);
    if (world.code_sent_to(bob.phone) != code) CHECK(outcome(world.verify(his, "sms", code)) == invalid);
    CHECK(outcome(world.verify(his, "recovery_code", ada.recovery_codes[0])) == invalid);
    CHECK(world.verify(token, "sms", code).status == 200);
}

TEST_CASE("TOTP takes the step before and after, each once", "[factors]")
{
    World const world;
    world.clock.set(testing::FakeClock::start + 15s);
    auto const ada = world.new_account_with_totp(); // uses this step up
    CHECK(outcome(world.verify(world.challenged(ada), "totp", world.totp_code(ada, 0))) == invalid);
    CHECK(outcome(world.verify(world.challenged(ada), "totp", world.totp_code(ada, 2))) == invalid);
    CHECK(outcome(world.verify(world.challenged(ada), "totp", world.totp_code(ada, -1))) == invalid);
    auto const next = world.totp_code(ada, 1);
    CHECK(world.verify(world.challenged(ada), "totp", next).status == 200);
    CHECK(outcome(world.verify(world.challenged(ada), "totp", next)) == invalid);
    world.clock.advance(60s);
    CHECK(world.verify(world.challenged(ada), "totp", world.totp_code(ada, 0)).status == 200);
    world.clock.advance(90s);
    auto const early = world.totp_code(ada, -1);
    CHECK(outcome(world.verify(world.challenged(ada), "totp", world.totp_code(ada, -2))) == invalid);
    CHECK(world.verify(world.challenged(ada), "totp", early).status == 200);

    // Steps change at the half minute, to the microsecond.
    world.clock.set(testing::FakeClock::start + 10min);
    auto const code = world.totp_code(ada);
    world.clock.set(testing::FakeClock::start + 11min - 1us);
    CHECK(world.verify(world.challenged(ada), "totp", code).status == 200);
    world.clock.set(testing::FakeClock::start + 20min);
    auto const late = world.totp_code(ada);
    world.clock.set(testing::FakeClock::start + 21min);
    CHECK(outcome(world.verify(world.challenged(ada), "totp", late)) == invalid);
    CHECK(world.messages_to(ada.phone).empty());
}

TEST_CASE("TOTP is set up and confirmed", "[factors]")
{
    World const world;
    auto ada = world.new_account();
    auto caller = world.as(ada);
    auto const confirm = [&](std::string const& code) {
        return caller.post("/v1/auth/mfa/totp/confirm", code_body(code));
    };
    CHECK(outcome(confirm("123456")) == setup_required);
    auto const first = caller.post("/v1/auth/mfa/totp/setup", "{}");
    REQUIRE(first.status == 200);
    ada.totp_secret = text(first.json(), "secret");
    auto const address = text(first.json(), "otpauthUrl");
    CHECK(address.starts_with("otpauth://totp/"));
    CHECK(address.find("secret=" + ada.totp_secret) != std::string::npos);
    CHECK(first.header("cache-control") == "no-store");
    auto const stale = world.totp_code(ada);
    CHECK(world.login(ada).status == 200);

    ada.totp_secret = text(caller.post("/v1/auth/mfa/totp/setup", "{}").json(), "secret");
    if (world.totp_code(ada) != stale) CHECK(outcome(confirm(stale)) == invalid);
    auto const confirmed = confirm(world.totp_code(ada));
    REQUIRE(confirmed.status == 200);
    CHECK(confirmed.json().at("recoveryCodes").as_array().size() == 10);
    CHECK(outcome(confirm(world.totp_code(ada, 1))) == setup_required);
    CHECK(outcome(caller.post("/v1/auth/mfa/totp/setup", "{}")) == already);
    auto const asked = world.login(ada);
    CHECK(asked.status == 403);
    CHECK(boost::json::serialize(asked.json().at("available_methods")).find("sms") == std::string::npos);
    CHECK(outcome(world.send(text(asked.json(), "mfa_token"))) == setup_required); // no phone to send to
}

TEST_CASE("with two factors nothing is sent unasked, and either passes", "[factors]")
{
    World const world;
    auto ada = world.new_account_with_sms();
    auto const codes = ada.recovery_codes;
    world.enrol_totp(ada);
    CHECK(ada.recovery_codes == codes); // the second factor brings none
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

TEST_CASE("recovery codes work once each, however they are typed", "[factors]")
{
    World const world;
    auto const ada = world.new_account_with_totp();
    auto const use = [&](std::string const& code) {
        return world.verify(world.challenged(ada), "recovery_code", code);
    };
    auto const left = [&] {
        return world.as(ada).get("/v1/auth/mfa").json().at("recoveryCodesLeft").as_int64();
    };
    CHECK(left() == 10);
    CHECK(use(ada.recovery_codes[0]).status == 200);
    CHECK(outcome(use(ada.recovery_codes[0])) == invalid);
    std::string typed = ada.recovery_codes[1];
    std::erase(typed, '-');
    std::ranges::transform(
        typed, typed.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    std::ranges::replace(typed, '1', 'l');
    std::ranges::replace(typed, '0', 'o');
    CHECK(use(" " + typed.substr(0, 5) + " " + typed.substr(5)).status == 200);
    CHECK(left() == 8);
    auto wrong = ada.recovery_codes[2];
    wrong.back() = wrong.back() == 'A' ? 'B' : 'A';
    CHECK(outcome(use(wrong)) == invalid); // its first group finds a row
    CHECK(use(ada.recovery_codes[2]).status == 200);
    CHECK(outcome(use("nonsense")) == invalid);
}

TEST_CASE("recovery codes are replaced by who passes a factor", "[factors]")
{
    World const world;
    auto ada = world.new_account_with_totp();
    auto caller = world.as(ada);
    auto const replace = [&](std::string const& code) {
        return caller.post("/v1/auth/mfa/recovery-codes", code_body(code));
    };
    CHECK(outcome(replace(other_code(world.totp_code(ada, 1)))) == invalid);
    auto const fresh = replace(world.totp_code(ada, 1));
    REQUIRE(fresh.status == 200);
    CHECK(fresh.json().at("recoveryCodes").as_array().size() == 10);
    CHECK(outcome(world.verify(world.challenged(ada), "recovery_code", ada.recovery_codes[0])) == invalid);
    auto const again = replace(std::string(fresh.json().at("recoveryCodes").at(0).as_string()));
    CHECK(again.status == 200);
    auto nobody = world.as(world.new_account());
    CHECK(outcome(nobody.post("/v1/auth/mfa/recovery-codes", code_body("123456"))) == setup_required);
}

TEST_CASE("SMS is removed with an app's or a recovery code, and the phone is kept", "[factors]")
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
        world.enrol_sms(ada, ada.phone); // and again from the start
        CHECK(world.login(ada).status == 403);
    }
    SECTION("with the app, which stays")
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
    SECTION("never with a code that was sent by SMS")
    {
        world.challenged(ada);
        CHECK(remove("/v1/auth/mfa/sms", world.code_sent_to(ada.phone)).status == 400);
        CHECK(world.login(ada).status == 403);
    }
}

TEST_CASE("a trusted device is not asked for 30 days", "[factors]")
{
    World const world;
    auto ada = world.new_account_with_sms();
    auto const passed = world.verify(world.challenged(ada), "sms", world.code_sent_to(ada.phone), true);
    REQUIRE(passed.status == 200);
    auto const& set_cookie = passed.header("set-cookie");
    for (auto const* attribute : {"HttpOnly", "SameSite=Lax", "Path=/", "Max-Age=2592000"})
        CHECK(set_cookie.find(attribute) != std::string::npos);
    CHECK(set_cookie.find("Secure") == std::string::npos); // under localhost
    auto device = world.client();
    device.set("Cookie", "other=1; " + device_cookie_of(passed) + "; more=2");
    CHECK(world.login(ada, device).status == 200);
    CHECK(world.login(ada).status == 403);

    SECTION("30 days to the moment")
    {
        world.clock.advance(std::chrono::days(30) - 1ms);
        CHECK(world.login(ada, device).status == 200);
        world.clock.advance(1ms);
        CHECK(world.login(ada, device).status == 403);
    }
    SECTION("nor in another scope, for another user, or with another secret")
    {
        auto const bob = world.new_account_with_sms();
        CHECK(world.login(bob, device).status == 403);
        auto forged = device_cookie_of(passed);
        forged.back() = forged.back() == 'A' ? 'B' : 'A';
        forged[forged.size() - 3] = forged[forged.size() - 3] == 'A' ? 'B' : 'A';
        device.set("Cookie", forged);
        CHECK(world.login(ada, device).status == 403);
        for (auto const* nonsense : {"mfa_device=", "mfa_device=x", "mfa_device=x.y", "mfa_device=a.b.c"}) {
            device.set("Cookie", nonsense);
            CHECK(world.login(ada, device).status == 403);
        }
        auto elsewhere = ada;
        elsewhere.tenant = "demo";
        REQUIRE(world.client("demo")
                    .post("/v1/auth/register", body({{"email", ada.email}, {"password", ada.password}}))
                    .status == 201);
        auto there = world.login(elsewhere);
        REQUIRE(there.status == 200);
        elsewhere.take(there);
        world.enrol_sms(elsewhere);
        auto at_production = world.client("demo");
        at_production.set("Cookie", device_cookie_of(passed));
        CHECK(world.login(elsewhere, at_production).status == 403);
    }
    SECTION("several users of a browser stay trusted; each trust makes a new value")
    {
        auto const bob = world.new_account_with_sms();
        auto const his = text(world.login(bob, device).json(), "mfa_token");
        auto const also = device.post(
            "/v1/auth/mfa/verify", body({{"mfa_token", his}, {"method", "sms"},
                                       {"code", world.code_sent_to(bob.phone)}, {"trustDevice", true}}));
        REQUIRE(also.status == 200);
        CHECK(device_cookie_of(also) != device_cookie_of(passed));
        CHECK(world.login(ada, device).status == 403); // the old value has ended
        device.set("Cookie", device_cookie_of(also));
        CHECK(world.login(ada, device).status == 200);
        CHECK(world.login(bob, device).status == 200);
        // Disabling ends her trust, not his.
        REQUIRE(world.as(ada)
                    .request("DELETE", "/v1/auth/mfa/sms", {}, code_body(ada.recovery_codes[0]))
                    .status == 200);
        world.enrol_sms(ada, ada.phone);
        CHECK(world.login(ada, device).status == 403);
        CHECK(world.login(bob, device).status == 200);
    }
    SECTION("it is listed, and forgotten")
    {
        auto caller = world.as(ada);
        auto const devices = all_items(caller, "/v1/auth/mfa/devices");
        REQUIRE(devices.size() == 1);
        CHECK(boost::json::serialize(devices).find(device_cookie_of(passed).substr(60)) == std::string::npos);
        auto const path = "/v1/auth/mfa/devices/" + text(devices[0], "deviceId");
        CHECK(world.as(world.new_account()).del(path).status == 404);
        CHECK(caller.del(path).body == R"({"deleted":true})");
        CHECK(caller.del(path).status == 404);
        CHECK(world.login(ada, device).status == 403);
    }
    SECTION("all are forgotten at once")
    {
        CHECK(world.as(ada).del("/v1/auth/mfa/devices").status == 200);
        CHECK(world.login(ada, device).status == 403);
    }
}

TEST_CASE("a cookie is Secure on a host that is not local", "[factors]")
{
    World const world({.base_host = "auth.example.com"});
    auto const ada = world.new_account_with_sms();
    auto const passed = world.verify(world.challenged(ada), "sms", world.code_sent_to(ada.phone), true);
    CHECK(passed.header("set-cookie").find("; Secure") != std::string::npos);
}

TEST_CASE("an administrator removes every factor", "[factors]")
{
    World const world;
    auto const owner = world.new_owner();
    auto ada = world.new_account_with_sms();
    world.enrol_totp(ada);
    auto const trusting = world.verify(world.challenged(ada), "totp", world.totp_code(ada, 1), true);
    REQUIRE(trusting.status == 200);
    auto const open = world.challenged(ada);
    auto const path = "/v1/members/" + ada.user_id + "/mfa";
    CHECK(world.as(ada).del(path).status == 403);
    CHECK(world.as(owner).del(path).status == 200);
    CHECK(world.login(ada).status == 200);
    CHECK(world.with(text(trusting.json(), "accessToken")).get("/v1/auth/me").status == 401);
    CHECK(world.verify(open, "recovery_code", ada.recovery_codes[0]).status / 100 == 4);
    ada.take(world.login(ada));
    auto const factors = world.as(ada).get("/v1/auth/mfa").json();
    CHECK(factors.at("recoveryCodesLeft") == 0);
    CHECK(world.as(ada).get("/v1/auth/mfa/devices").json().at("items").as_array().empty());
    auto as_owner = world.as(owner);
    auto const audit = boost::json::serialize(all_items(as_owner, "/v1/audit"));
    CHECK(audit.find(ada.user_id) != std::string::npos);
    CHECK(audit.find(ada.phone) == std::string::npos);
}

TEST_CASE("an account's budget of wrong codes outlives challenges", "[factors]")
{
    World const world;
    auto ada = world.new_account_with_sms();
    world.enrol_totp(ada);
    auto const guess = [&](std::string const& method, std::string const& code) {
        return outcome(world.verify(world.challenged(ada), method, code));
    };
    SECTION("20 codes in 24 hours, over every route; recovery codes apart")
    {
        auto const wrong = other_code(world.totp_code(ada, 1));
        for (int i = 0; i < 19; ++i)
            CHECK(guess("totp", wrong) == invalid);
        auto caller = world.as(ada);
        CHECK(outcome(caller.request("DELETE", "/v1/auth/mfa/totp", {}, code_body(wrong))) == invalid);
        CHECK(guess("totp", world.totp_code(ada, 1)) == limited);
        CHECK(outcome(caller.request("DELETE", "/v1/auth/mfa/totp", {}, code_body(wrong))) == limited);
        CHECK(guess("recovery_code", ada.recovery_codes[0]) == "200"); // never locked out of these
        world.clock.advance(24h);
        CHECK(guess("totp", world.totp_code(ada)) == "200");
    }
    SECTION("right ones cost nothing")
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

TEST_CASE("an account is sent 10 codes an hour to sign in with", "[factors]")
{
    World const world;
    auto const ada = world.new_account_with_sms();
    auto const before = world.messages_to(ada.phone).size();
    for (int i = 0; i < 10; ++i)
        world.challenged(ada);
    CHECK(world.messages_to(ada.phone).size() == before + 10);
    auto const token = world.challenged(ada); // the 403 all the same
    CHECK(world.messages_to(ada.phone).size() == before + 10);
    CHECK(outcome(world.send(token)) == limited);
    CHECK(world.verify(token, "recovery_code", ada.recovery_codes[0]).status == 200);
    world.clock.advance(1h);
    world.challenged(ada);
    CHECK(world.messages_to(ada.phone).size() == before + 11);
}

TEST_CASE("messages name the brand, in letters that phones have", "[factors]")
{
    World const world;
    auto const said = [&](char const* brand) {
        set(world, {{"brand", brand}});
        auto const ada = world.new_account_with_sms();
        auto const message = text(world.messages_to(ada.phone).back(), "body");
        return message.substr(0, message.find(": "));
    };
    CHECK(said("Caf\u00e9") == "Caf\u00e9"); // é is in GSM-7
    CHECK(said("\u0141\u00f3d\u017a") == "Lodz");
    CHECK_FALSE(said("\u65e5\u672c").empty());
}

TEST_CASE("messages go where the tenant and reason allow", "[factors]")
{
    World const world;
    auto const setup = [&](std::string const& phone, std::string const& tenant = "demo-sandbox") {
        auto caller = world.as(world.new_account(tenant));
        return outcome(caller.post("/v1/auth/mfa/sms/setup", setup_body(phone)));
    };
    CHECK(setup("+979123456789") == "422 MFA_SMS_UNDELIVERABLE");
    auto const ada = world.new_account_with_sms();
    set(world, {{"smsCountries", boost::json::array{"US"}}});
    CHECK(setup(World::new_phone()) == "422 MFA_SMS_UNDELIVERABLE");
    CHECK(setup("+12015550123") == "200");
    CHECK(setup(World::new_phone(), "demo") == "200");
    // The 403 stays what it was; `challenge` says why nothing came, and it was no send.
    auto const token = world.challenged(ada);
    CHECK(outcome(world.send(token)) == "422 MFA_SMS_UNDELIVERABLE");
    set(world, {{"smsCountries", nullptr}});
    CHECK(world.send(token).json().at("sendsRemaining") == 2);
}

TEST_CASE("an unverified shared sender sends 500 a day", "[factors]")
{
    World const world({.environment = {{"SMS_SENDER_VERIFIED", "false"}}});
    auto const first = world.new_account_with_sms();
    // One account's limits would be met first, so many take part; each spends 10 an hour.
    std::vector<Account> accounts;
    for (int i = 0; i < 50; ++i)
        accounts.push_back(world.new_account_with_sms());
    auto const sent = [&] {
        std::size_t all = world.messages_to(first.phone).size();
        for (auto const& account : accounts)
            all += world.messages_to(account.phone).size();
        return all;
    };
    for (int i = 0; i < 10 && sent() < 500; ++i)
        for (auto const& account : accounts)
            world.challenged(account);
    CHECK(sent() == 500);
    CHECK(world.send(world.challenged(first)).status == 503);
}

TEST_CASE("a password is needed to enrol", "[factors]")
{
    World const world;
    auto const ada = world.new_account();
    // As an identity provider's user is: test_peers has a true one.
    world.postgres.query("UPDATE users SET password_hash = NULL WHERE user_id = '" + ada.user_id + "'");
    auto caller = world.as(ada);
    CHECK(outcome(caller.post("/v1/auth/mfa/sms/setup", setup_body(World::new_phone()))) ==
          "403 MFA_PASSWORD_REQUIRED");
}

TEST_CASE("the hosted page is itself alone, and shows the brand escaped", "[factors]")
{
    World const world;
    set(world, {{"brand", "<script>alert(1)</script>\"'&"}});
    auto const page = world.client().get("/enroll");
    REQUIRE(page.status == 200);
    CHECK(page.header("content-type").starts_with("text/html"));
    CHECK(page.body.find("<script>alert") == std::string::npos);
    CHECK(page.body.find("&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;") != std::string::npos);
    CHECK(page.body.find("{{") == std::string::npos);
    CHECK(page.body.find("://") == std::string::npos); // nothing from elsewhere
    for (auto const* consent : {World::provider, "Message frequency varies",
             "Message and data rates may apply", "STOP to opt out", "HELP for"})
        CHECK(page.body.find(consent) != std::string::npos);
    auto const& policy = page.header("content-security-policy");
    CHECK(policy.find("default-src 'none'") != std::string::npos);
    CHECK(policy.find("unsafe") == std::string::npos);
    CHECK(policy.find("frame-ancestors 'none'") != std::string::npos);
    CHECK(page.header("referrer-policy") == "no-referrer");
    auto const script = world.client().get("/enroll.js"), style = world.client().get("/enroll.css");
    CHECK(script.header("content-type").starts_with("text/javascript"));
    CHECK(style.header("content-type").starts_with("text/css"));
    for (auto const* storage : {"localStorage", "sessionStorage", "document.cookie", "innerHTML", "://"})
        CHECK(script.body.find(storage) == std::string::npos);
    CHECK(style.body.find("url(") == std::string::npos);
    CHECK(world.client("nobody").get("/enroll").status == 404);
}
