#include "factors.hpp"
#include "support/twilio.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

namespace json = boost::json;

namespace {

constexpr char const* undelivered_code = "+9607712345"; // a number from the Maldives
constexpr char const* test_phone = "+14155550123";
constexpr char const* fixed_code = "314159";

json::object with_test_phone(std::string const& phone = test_phone, std::string const& code = fixed_code)
{
    return {{"testPhones", json::array{json::object{{"phone", phone}, {"code", code}}}}};
}

testing::HttpResponse set_up(World const& world, Account const& account, std::string const& phone)
{
    return world.as(account).post("/v1/auth/mfa/sms/setup", setup_body(phone));
}

testing::HttpResponse confirm(World const& world, Account const& account, std::string const& code)
{
    return world.as(account).post("/v1/auth/mfa/sms/confirm", code_body(code));
}

/// A number of the Maldives, different for each `n`.
std::string maldivian(int n)
{
    return "+9607" + std::to_string(700'000 + n);
}

} // namespace

TEST_CASE("in the sandbox no message is passed to the provider, unless the operator allows it", "[sms]")
{
    testing::TwilioServer twilio;
    World const world({.twilio_url = twilio.url(), .limits = "{}"});
    auto const ada = world.new_account_with_sms(); // with the code in the outbox
    CHECK(world.verify(world.challenged(ada), "sms", world.code_sent_to(ada.phone)).status == 200);
    CHECK(text(world.messages_to(ada.phone).back(), "env") == "sandbox");
    CHECK(twilio.requests() == 0);

    auto const phone = World::new_phone();
    CHECK(set_up(world, world.new_account("demo"), phone).status == 200);
    CHECK(twilio.requests() == 1);
    CHECK(world.messages_to(phone).empty());

    world.limit({{"sandboxSms", true}});
    CHECK(world.send(world.challenged(ada)).status == 200);
    CHECK(twilio.requests() == 3);
    auto const elsewhere = world.new_account("other-sandbox");
    CHECK(set_up(world, elsewhere, World::new_phone()).status == 200);
    CHECK(twilio.requests() == 3);
}

TEST_CASE("without an outbox, messages of the sandbox are dropped", "[sms]")
{
    testing::TwilioServer twilio;
    World world({.twilio_url = twilio.url(), .environment = {{"SMS_OUTBOX", ""}}, .limits = "{}"});
    auto const phone = World::new_phone();
    CHECK(set_up(world, world.new_account(), phone).status == 200);
    CHECK(twilio.requests() == 0);
    auto const log = world.logged();
    CHECK(log.find("a text message of a sandbox was dropped") != std::string::npos);
    CHECK(log.find(phone.substr(1)) == std::string::npos);
}

TEST_CASE("messages of the sandbox use nothing of the shared sender's limit", "[sms]")
{
    World const world({.environment = {{"SMS_SENDER_PER_MINUTE", "1"}}});
    for (int i = 0; i < 3; ++i)
        world.new_account_with_sms();
    CHECK(set_up(world, world.new_account("demo"), World::new_phone()).status == 200);
    CHECK(outcome(set_up(world, world.new_account("demo"), World::new_phone())) == unavailable);
}

TEST_CASE("messages of a sandbox do not use up the limits of a phone", "[sms]")
{
    World const world;
    auto const phone = World::new_phone();
    auto const enrol = [&](std::string const& tenant) {
        return outcome(set_up(world, world.new_account(tenant), phone));
    };
    // Tenants share the limit of a phone.
    for (auto const* sandbox :
        {"demo-sandbox", "other-sandbox", "demo-sandbox", "other-sandbox", "demo-sandbox"})
        CHECK(enrol(sandbox) == "200");
    CHECK(enrol("other-sandbox") == limited);
    for (auto const* tenant : {"demo", "other", "demo", "other", "demo"})
        CHECK(enrol(tenant) == "200");
    CHECK(enrol("other") == limited);
}

TEST_CASE("a test phone is enrolled and signs in with its fixed code, and gets no messages", "[sms]")
{
    World const world;
    world.set(with_test_phone());
    auto const enrol = [&](std::string const& code) {
        auto const account = world.new_account();
        REQUIRE(set_up(world, account, test_phone).status == 200);
        auto const confirmed = confirm(world, account, code);
        return std::pair{account, outcome(confirmed)};
    };
    CHECK(enrol("314158").second == invalid);
    // The limits of enrolments per phone do not apply.
    for (int i = 0; i < 10; ++i)
        CHECK(enrol(fixed_code).second == "200");

    auto const ada = enrol(fixed_code).first;
    auto const token = world.challenged(ada);
    CHECK(outcome(world.verify(token, "sms", "000000")) == invalid);
    CHECK(world.send(token).json().at("sendsRemaining") == 1);
    CHECK(world.verify(token, "sms", fixed_code).status == 200);
    CHECK(world.messages_to(test_phone).empty());

    SECTION("other phones get messages")
    {
        CHECK_FALSE(world.new_account_with_sms().phone.empty());
    }
    SECTION("in production, the same number is an ordinary phone")
    {
        auto const grace = world.new_account("demo");
        REQUIRE(set_up(world, grace, test_phone).status == 200);
        CHECK(world.messages_to(test_phone).size() == 1);
    }
    SECTION("another tenant's sandbox does not have it")
    {
        auto const grace = world.new_account("other-sandbox");
        REQUIRE(set_up(world, grace, test_phone).status == 200);
        CHECK(world.messages_to(test_phone).size() == 1);
    }
}

TEST_CASE("test phones are set in the sandbox only, and shown to owners", "[sms]")
{
    World const world;
    auto master = world.as_master();
    CHECK(master.get("/v1/settings").json().at("testPhones").as_array().empty());
    auto const pointers_of = [](testing::HttpResponse const& refused) {
        CHECK(outcome(refused) == "400 VALIDATION_ERROR");
        std::vector<std::string> pointers;
        for (auto const& fault : refused.json().at("errors").as_array())
            pointers.push_back(text(fault, "pointer"));
        return pointers;
    };
    using Pointers = std::vector<std::string>;
    CHECK(pointers_of(world.as_master("demo").patch("/v1/settings", body(with_test_phone()))) ==
          Pointers{"/testPhones"});
    CHECK(world.as_master("demo").patch("/v1/settings", R"({"testPhones":[]})").status == 200);

    auto const change = [&](std::string const& phones) {
        return master.patch("/v1/settings", R"({"testPhones":)" + phones + "}");
    };
    CHECK(pointers_of(
              change(R"([{"phone":"4155550123","code":"12345"},{"phone":"+14155550123","code":123456}])")) ==
          Pointers{"/testPhones/0/phone", "/testPhones/0/code", "/testPhones/1/code"});
    CHECK(pointers_of(change(R"([{"phone":"+14155550123","code":"12345a"},{"code":"1234567"}])")) ==
          Pointers{"/testPhones/0/code", "/testPhones/1/phone", "/testPhones/1/code"});
    CHECK(pointers_of(change(
              R"([{"phone":"+14155550123","code":"123456"},{"phone":"+14155550123","code":"654321"}])")) ==
          Pointers{"/testPhones/1"});
    std::string eleven;
    for (int i = 10; i < 21; ++i)
        eleven += std::string(eleven.empty() ? "" : ",") + R"({"phone":"+141555501)" + std::to_string(i) +
                  R"(","code":"123456"})";
    CHECK(pointers_of(change("[" + eleven + "]")) == Pointers{"/testPhones"});

    auto const owner = world.new_owner();
    auto caller = world.as(owner);
    auto const changed = caller.patch("/v1/settings", body(with_test_phone()));
    REQUIRE(changed.status == 200);
    CHECK(changed.json().at("testPhones") == with_test_phone().at("testPhones"));
    CHECK(caller.get("/v1/settings").json().at("testPhones") == with_test_phone().at("testPhones"));
    CHECK(world.as(world.new_account()).get("/v1/settings").status == 403);
    // The audit log contains no codes and no full numbers.
    auto const audited = caller.get("/v1/audit?action=settings.updated");
    CHECK(audited.json().at("items").at(0).at("after").at("testPhones") ==
          json::array{json::object{{"phone", "+1********23"}}});
    auto const& audit = audited.body;
    CHECK(audit.find(test_phone) == std::string::npos);
    CHECK(audit.find(fixed_code) == std::string::npos);
}

TEST_CASE("beyond the tenant's messages per day, codes are refused until the next day", "[sms]")
{
    World const world({.now = testing::FakeClock::start + 23h, .limits = R"({"smsPerDay":3})"});
    auto const tenant = GENERATE(as<std::string>(), "demo", "demo-sandbox");
    auto const ada = world.new_account_with_sms(tenant);
    auto const token = world.challenged(ada);
    CHECK(world.send(token, tenant).json().at("sendsRemaining") == 1);
    auto const refused = world.send(token, tenant);
    CHECK(outcome(refused) == limited);
    CHECK(refused.header("retry-after") == "3600");
    CHECK(outcome(set_up(world, world.new_account(tenant), World::new_phone())) == limited);
    CHECK(outcome(world.login(ada)) == "403 mfa_required"); // sends no code
    CHECK(world.messages_to(ada.phone).size() == 3);
    // Other tenants, and the tenant's other environment, are not affected.
    CHECK_FALSE(world.new_account_with_sms("other").phone.empty());
    CHECK_FALSE(world.new_account_with_sms(tenant == "demo" ? "demo-sandbox" : "demo").phone.empty());

    world.clock.advance(1h);
    auto const next = world.challenged(ada);
    CHECK(world.send(next, tenant).json().at("sendsRemaining") == 1); // the refused send was not counted
}

TEST_CASE("enrolment codes to a country that are not confirmed are refused until the day ends", "[sms]")
{
    World const world;
    auto const set_up_new = [&](std::string const& phone, std::string const& tenant = "demo") {
        return set_up(world, world.new_account(tenant), phone);
    };
    for (int i = 0; i < 20; ++i)
        REQUIRE(set_up_new(maldivian(i)).status == 200);
    auto const refused = set_up_new(undelivered_code);
    CHECK(outcome(refused) == undeliverable);
    CHECK(text(refused.json(), "detail").find("confirmed") != std::string::npos);
    CHECK(outcome(set_up_new(undelivered_code)) == undeliverable);
    CHECK(world.messages_to(undelivered_code).empty());

    auto master = world.as_master("demo");
    auto const entries = all_items(master, "/v1/audit?action=sms_enrolment.refused");
    REQUIRE(entries.size() == 1);
    CHECK(text(entries[0], "actor") == "system:sms");
    CHECK(text(entries[0], "subjectId") == "+960");
    CHECK(entries[0].at("after") == json::value{{"sent", 20}, {"confirmed", 0}});

    CHECK(set_up_new("+4915112345678").status == 200); // another country
    CHECK(set_up_new(undelivered_code, "other").status == 200);
    CHECK(set_up_new(maldivian(50), "demo-sandbox").status == 200);

    world.clock.advance(24h); // the fake clock started at midnight
    CHECK(set_up_new(undelivered_code).status == 200);
}

TEST_CASE("enrolment codes to a country are sent while enough of them are confirmed", "[sms]")
{
    World const world;
    for (int i = 0; i < 25; ++i) {
        auto const account = world.new_account("demo");
        REQUIRE(set_up(world, account, maldivian(i)).status == 200);
        if (i % 4 == 0) CHECK(confirm(world, account, world.code_sent_to(maldivian(i))).status == 200);
    }
}
