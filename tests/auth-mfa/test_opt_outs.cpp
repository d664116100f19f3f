#include "factors.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

// Opt-outs hold for all tenants. So a user must not learn whether a number of another person has opted out.

namespace {

namespace json = boost::json;

testing::HttpResponse set_up(World const& world, Account const& account, std::string const& phone)
{
    return world.as(account).post("/v1/auth/mfa/sms/setup", setup_body(phone));
}

/// A new phone number that has opted out.
std::string opted_out_phone(World const& world)
{
    auto phone = World::new_phone();
    world.postgres.query("INSERT INTO sms_opt_outs (phone, opted_out_at) VALUES ('" + phone + "', now())");
    return phone;
}

/// The part of a response that may depend on whether a number has opted out, without the number.
std::string answer_of(testing::HttpResponse const& r, std::string const& phone)
{
    auto answer = testing::without_request_id(r);
    if (auto const at = answer.find(phone); at != std::string::npos)
        answer.replace(at, phone.size(), "PHONE");
    return std::to_string(r.status) + ' ' + answer + r.header("retry-after");
}

std::vector<json::object> withheld(World const& world, std::string const& tenant = "demo-sandbox")
{
    auto master = world.as_master(tenant);
    std::vector<json::object> entries;
    for (auto const& entry : all_items(master, "/v1/audit?action=sms_code.withheld"))
        entries.push_back(entry.as_object());
    return entries;
}

} // namespace

TEST_CASE("the set-up of a number that has opted out gets the same responses, and sends nothing", "[opt-out]")
{
    World const world;
    auto const reachable = World::new_phone(), silent = opted_out_phone(world);
    auto const ada = world.new_account(), bob = world.new_account();
    auto const compare = [&](auto const& request) {
        CHECK(answer_of(request(ada, reachable), reachable) == answer_of(request(bob, silent), silent));
    };
    auto const confirm = [&](Account const& account, std::string const& phone) {
        // Nobody knows the code of the silent number.
        auto const wrong = account.email == ada.email ? other_code(world.code_sent_to(phone)) : "nonsense";
        return world.as(account).post("/v1/auth/mfa/sms/confirm", code_body(wrong));
    };
    auto const enrol = [&](Account const& account, std::string const& phone) {
        return set_up(world, account, phone);
    };
    for (int i = 0; i < 3; ++i) {
        compare(enrol);
        for (int guess = 0; guess < 6; ++guess)
            compare(confirm);
    }
    compare(enrol); // more than 3 sends for the user
    CHECK(outcome(set_up(world, bob, silent)) == limited);
    CHECK(world.messages_to(reachable).size() == 3);
    CHECK(world.messages_to(silent).empty());
    CHECK_FALSE(world.as(bob).get("/v1/auth/me").json().at("phoneVerified").as_bool());
}

TEST_CASE("codes that an opt-out withheld are audited, and not shown to the user", "[opt-out]")
{
    World const world;
    auto const ada = world.new_account();
    auto const phone = opted_out_phone(world);
    auto caller = world.as(ada);
    auto const activity = all_items(caller, "/v1/auth/activity").size();
    REQUIRE(set_up(world, ada, phone).status == 200);
    auto const entries = withheld(world);
    REQUIRE(entries.size() == 1);
    CHECK(text(entries[0], "actor") == ada.user_id);
    CHECK(text(entries[0], "subjectType") == "user");
    CHECK(text(entries[0], "subjectId") == ada.user_id);
    CHECK(entries[0].at("after") ==
          json::object{{"reason", "opted_out"}, {"phone", sms::PhoneNumber::parse(phone)->masked()}});
    CHECK(withheld(world, "demo").empty());
    CHECK(all_items(caller, "/v1/auth/activity").size() == activity);
    REQUIRE(set_up(world, ada, World::new_phone()).status == 200);
    CHECK(withheld(world).size() == 1);
}

TEST_CASE("withheld codes count against the limits of the phone and of the shared sender", "[opt-out]")
{
    SECTION("5 per phone in an hour, over all tenants")
    {
        World const world;
        auto const phone = opted_out_phone(world);
        for (int i = 0; i < 5; ++i)
            CHECK(set_up(world, world.new_account(i % 2 == 0 ? "demo" : "other"), phone).status == 200);
        CHECK(outcome(set_up(world, world.new_account("demo"), phone)) == limited);
    }
    SECTION("the shared sender")
    {
        World const world({.environment = {{"SMS_SENDER_PER_MINUTE", "4"}}});
        bool const silent = GENERATE(false, true);
        INFO((silent ? "opted out" : "reachable"));
        std::vector<std::string> outcomes;
        for (auto const* tenant : {"demo", "other", "demo", "other"})
            outcomes.push_back(outcome(set_up(
                world, world.new_account(tenant), silent ? opted_out_phone(world) : World::new_phone())));
        CHECK(outcomes == std::vector<std::string>{"200", "200", unavailable, unavailable});
        CHECK(withheld(world, "demo").size() == (silent ? 1 : 0));
    }
}

TEST_CASE("limits are checked before reachability", "[opt-out]")
{
    World const world;
    auto const ada = world.new_account();
    for (int i = 0; i < 3; ++i)
        REQUIRE(set_up(world, ada, World::new_phone()).status == 200);
    constexpr char const* premium = "+979123456789";
    CHECK(outcome(set_up(world, ada, premium)) == limited);
    CHECK(outcome(set_up(world, ada, opted_out_phone(world))) == limited);
    // A number that is refused for another reason is not counted.
    auto const bob = world.new_account();
    for (int i = 0; i < 4; ++i)
        CHECK(outcome(set_up(world, bob, premium)) == undeliverable);
    CHECK(set_up(world, bob, World::new_phone()).status == 200);
}

TEST_CASE(
    "the tenant's messages per day and the sender's shares are checked before reachability", "[opt-out]")
{
    auto const [limits, environment, refusal] =
        GENERATE(table<std::string, std::map<std::string, std::string>, std::string>(
            {{R"({"smsPerDay":2})", {}, limited}, {"{}", {{"SMS_SENDER_PER_MINUTE", "4"}}, unavailable}}));
    World const world({.environment = environment, .limits = limits});
    auto const ada = world.new_account_with_sms("demo");
    auto const token = world.challenged(ada);
    world.postgres.query(
        "INSERT INTO sms_opt_outs (phone, opted_out_at) VALUES ('" + ada.phone + "', now())");
    CHECK(outcome(world.send(token, "demo")) == refusal);
    while (outcome(set_up(world, world.new_account("demo"), World::new_phone())) == "200")
        continue;
    for (auto const& phone : {World::new_phone(), opted_out_phone(world), std::string("+979123456789")})
        CHECK(outcome(set_up(world, world.new_account("demo"), phone)) == refusal);
}

TEST_CASE("a set-up that is refused leaves the earlier code valid", "[opt-out]")
{
    World const world;
    auto const ada = world.new_account();
    auto const phone = World::new_phone();
    REQUIRE(set_up(world, ada, phone).status == 200);
    CHECK(outcome(set_up(world, ada, "+979123456789")) == undeliverable);
    auto const code = code_body(world.code_sent_to(phone));
    CHECK(world.as(ada).post("/v1/auth/mfa/sms/confirm", code).status == 200);
    CHECK(text(world.as(ada).get("/v1/auth/me").json(), "phone") == phone);
}

TEST_CASE("a test phone does not show whether its number has opted out", "[opt-out]")
{
    World const world;
    auto const phone = GENERATE_REF(World::new_phone(), opted_out_phone(world));
    auto const set_test_phones = [&](json::array const& phones) { world.set({{"testPhones", phones}}); };
    set_test_phones({json::object{{"phone", phone}, {"code", "314159"}}});
    auto const ada = world.new_account();
    REQUIRE(set_up(world, ada, phone).status == 200);
    REQUIRE(world.as(ada).post("/v1/auth/mfa/sms/confirm", code_body("314159")).status == 200);
    auto const token = world.challenged(ada);
    CHECK(world.send(token).status == 200);
    CHECK(withheld(world).empty());

    // Nobody has proved to own the phone.
    set_test_phones({});
    auto const refused = world.send(token);
    CHECK(outcome(refused) == undeliverable);
    CHECK(text(refused.json(), "detail").find("test phone") != std::string::npos);
    CHECK(world.messages_to(phone).empty());
}

TEST_CASE("a sign-in with a number that has opted out gets the reason, within the limits", "[opt-out]")
{
    World const world;
    auto const ada = world.new_account_with_sms();
    auto const token = world.challenged(ada);
    auto const code = world.code_sent_to(ada.phone);
    world.postgres.query(
        "INSERT INTO sms_opt_outs (phone, opted_out_at) VALUES ('" + ada.phone + "', now())");
    for (int i = 0; i < 4; ++i)
        CHECK(outcome(world.send(token)) == undeliverable); // not counted
    SECTION("the previous code stays valid")
    {
        CHECK(world.verify(token, "sms", code).status == 200);
    }
    SECTION("the sends of the challenge are used up")
    {
        world.postgres.query("DELETE FROM sms_opt_outs");
        CHECK(world.send(token).json().at("sendsRemaining") == 1);
        CHECK(world.send(token).json().at("sendsRemaining") == 0);
        world.postgres.query(
            "INSERT INTO sms_opt_outs (phone, opted_out_at) VALUES ('" + ada.phone + "', now())");
        CHECK(outcome(world.send(token)) == limited);
    }
    CHECK(withheld(world).empty());
}

TEST_CASE("the set-up hides an opt-out that the provider reports first", "[opt-out]")
{
    testing::TwilioServer twilio;
    World const world({.twilio_url = twilio.url()});
    auto const ada = world.new_account(), bob = world.new_account();
    auto const reachable = World::new_phone(), silent = World::new_phone();
    auto const sent = answer_of(set_up(world, ada, reachable), reachable);
    twilio.refuse_with(400, 21610);
    CHECK(answer_of(set_up(world, bob, silent), silent) == sent);
    CHECK(twilio.requests() == 2);
    CHECK(answer_of(set_up(world, bob, silent), silent) == sent);
    CHECK(twilio.requests() == 2); // the opt-out is known now
    CHECK(withheld(world).size() == 2);
    CHECK(world.postgres.query("SELECT phone FROM sms_opt_outs") == silent);
    // The send that the provider refused is counted.
    CHECK(set_up(world, bob, silent).status == 200);
    CHECK(outcome(set_up(world, bob, World::new_phone())) == limited);
}

TEST_CASE("while the provider fails, the set-up of a number that has opted out fails too", "[opt-out]")
{
    testing::TwilioServer twilio;
    World const world({.twilio_url = twilio.url()});
    auto const ada = world.new_account(), bob = world.new_account();
    auto const reachable = World::new_phone(), silent = opted_out_phone(world);
    twilio.refuse_with(500, 20500);
    for (int i = 0; i < 4; ++i) // at last, the limit of the user is reached
        CHECK(answer_of(set_up(world, ada, reachable), reachable) ==
              answer_of(set_up(world, bob, silent), silent));
    CHECK(withheld(world).empty());
    twilio.refuse_with(201);
    auto const carol = world.new_account(), dan = world.new_account();
    CHECK(answer_of(set_up(world, carol, reachable), reachable) ==
          answer_of(set_up(world, dan, silent), silent));
    CHECK(withheld(world).size() == 1);
    CHECK(twilio.requests() == 4); // all for the reachable number
}

TEST_CASE("an opt-out stays hidden after the provider has refused another number", "[opt-out]")
{
    testing::TwilioServer twilio;
    World const world({.twilio_url = twilio.url()});
    auto const ada = world.new_account(), bob = world.new_account();
    auto const reachable = World::new_phone(), silent = opted_out_phone(world);
    twilio.refuse_with(400, 21999); // an error that says something about one message
    CHECK(outcome(set_up(world, world.new_account(), World::new_phone())) == unavailable);
    twilio.refuse_with(201);
    CHECK(
        answer_of(set_up(world, bob, silent), silent) == answer_of(set_up(world, ada, reachable), reachable));
    CHECK(withheld(world).size() == 1);
}

TEST_CASE("the set-up of a number that has opted out takes as long as one that sends", "[opt-out]")
{
    using Clock = std::chrono::steady_clock;
    testing::TwilioServer twilio;
    World const world({.twilio_url = twilio.url()});
    twilio.delay(700ms);
    REQUIRE(set_up(world, world.new_account(), World::new_phone()).status == 200);
    twilio.delay(0ms);
    auto const ada = world.new_account();
    auto const phone = opted_out_phone(world);
    auto const began = Clock::now();
    REQUIRE(set_up(world, ada, phone).status == 200);
    CHECK(Clock::now() - began >= 700ms);
    CHECK(twilio.requests() == 1);
}
