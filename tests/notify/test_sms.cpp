#include "sms/guard.hpp"
#include "storage/sms_attempts.hpp"
#include "support/redis_fixture.hpp"
#include "texting.hpp"

#include <algorithm>
#include <set>

using namespace texting;

namespace {

/// Counts as many messages as an unverified sender may send in 24 hours, as if they were sent at `at`.
void use_up_sender(World const& world, core::Time at)
{
    testing::FakeClock const clock(at);
    testing::Contexts contexts;
    observe::Logger quiet("test", observe::Level::off);
    redis::Client client(testing::patient_client(world.redis.url(), &clock), contexts.all, quiet);
    sms::SenderGuard guard(client, TwilioServer::from, false, 1);
    for (int i = 0; i < sms::SenderGuard::unverified_per_day; ++i)
        REQUIRE(contexts.await(guard.take()).allowed);
}

} // namespace

TEST_CASE("a number that opted out is suppressed in its scope, and suppressions are checked before each send")
{
    Fixture f;
    f.server.refuse_with(400, 21610);
    auto const refused = f.send();
    REQUIRE(f.world.becomes(refused, "failed"));
    CHECK(text(f.world.notification(refused), "failureReason") == "21610");
    f.server.refuse_with(201);

    auto backend = f.world.as_backend();
    auto const listed = all_items(backend, "/v1/suppressions");
    REQUIRE(listed.size() == 1);
    CHECK(text(listed[0], "channel") == "sms");
    CHECK(text(listed[0], "address") == number);
    CHECK(text(listed[0], "reason") == "21610");

    auto const asked = f.server.requests();
    auto const suppressed = f.send();
    REQUIRE(f.world.becomes(suppressed, "failed"));
    CHECK(text(f.world.notification(suppressed), "failureReason") == "SUPPRESSED");
    CHECK(f.world.notification(suppressed).at("attempts") == 0);
    CHECK(f.server.requests() == asked);

    // Other numbers, and the other environment, are not affected.
    REQUIRE(f.world.becomes(f.send("+14155550101"), "sent"));
    auto production = f.world.as_backend("demo");
    CHECK(all_items(production, "/v1/suppressions").empty());

    auto const path = "/v1/suppressions/" + core::percent_encode(number);
    CHECK(production.del(path).status == 404);
    auto const deleted = backend.del(path);
    CHECK(deleted.status == 200);
    CHECK(deleted.body == R"({"deleted":true})");
    CHECK(backend.del(path).status == 404);
    REQUIRE(f.world.becomes(f.send(), "sent"));
    auto const audit = backend.get("/v1/audit?action=suppression.deleted").body;
    CHECK(audit.find("suppression.deleted") != std::string::npos);
    CHECK(audit.find(number) == std::string::npos);
}

TEST_CASE("the suppression list is paged")
{
    Fixture f;
    f.server.refuse_with(400, 21610);
    std::vector<std::string> ids;
    for (int i = 0; i < 5; ++i)
        ids.push_back(f.send("+1415555010" + std::to_string(i)));
    for (auto const& id : ids)
        REQUIRE(f.world.becomes(id, "failed"));
    // Suppressions with equal times are the difficult case for paging.
    f.world.postgres.query("UPDATE suppressions SET created_at = now()");
    auto backend = f.world.as_backend();
    auto const found = all_items(backend, "/v1/suppressions", 2);
    std::set<std::string> addresses;
    for (auto const& item : found)
        addresses.insert(text(item, "address"));
    CHECK(found.size() == 5);
    CHECK(addresses.size() == 5);
    CHECK(backend.get("/v1/suppressions?cursor=x").status == 400);
    CHECK(f.world.as_app().get("/v1/suppressions").status == 403);
}

TEST_CASE("a message that may have been sent is not sent again")
{
    Fixture f;
    f.server.answer_nonsense("<html>gateway</html>");
    auto const id = f.send();
    REQUIRE(f.world.becomes(id, "failed"));
    CHECK(text(f.world.notification(id), "failureReason") == "UNEXPECTED_ANSWER");
    CHECK(f.server.requests() == 1);
    f.world.clock.advance(1h);

    // Twilio's callback then shows that the message was sent.
    std::string const address =
        std::string(public_address) + "?scope=" + f.world.scope_id() + "&notification=" + id;
    REQUIRE(call_back(f.world, address, status_form(sid(7), "delivered")) == 204);
    CHECK(text(f.world.notification(id), "status") == "delivered");
    CHECK(f.server.requests() == 1);
}

TEST_CASE("a message is not sent again after a time-out of Twilio", "[slow]")
{
    Fixture f;
    f.server.delay(10min);
    auto const id = f.send();
    REQUIRE(eventually([&] { return text(f.world.notification(id), "status") == "failed"; }, 2min));
    CHECK(text(f.world.notification(id), "failureReason") == "NO_ANSWER");
    CHECK(f.server.requests() == 1);
}

TEST_CASE("a message whose attempt was interrupted fails, and is sent again only by request")
{
    Fixture f;
    auto const id = f.world.send({{"templateName", "code"}, {"channel", "sms"}, {"to", number},
        {"variables", json::object{{"code", "1234"}}},
        {"sendAt", core::to_rfc3339(f.world.clock.now() + 50s)}});
    // As if a process had been killed after it began the attempt.
    f.world.postgres.query(
        "UPDATE notifications SET attempt_token = gen_random_uuid() WHERE notification_id = '" + id + "'");
    f.world.clock.advance(51s);
    REQUIRE(f.world.becomes(id, "failed"));
    CHECK(text(f.world.notification(id), "failureReason") == "NO_ANSWER");
    CHECK(f.world.notification(id).at("attempts") == 1);
    CHECK(f.server.requests() == 0);

    REQUIRE(f.world.as_backend().post("/v1/notifications/" + id + "/retry", "{}").status == 202);
    REQUIRE(f.world.becomes(id, "sent"));
    CHECK(f.server.requests() == 1);
    CHECK(f.open_attempts() == 0);
}

TEST_CASE("an attempt begins only under the current lease of its job")
{
    Fixture f;
    auto const id = f.world.send({{"templateName", "code"}, {"channel", "sms"}, {"to", number},
        {"variables", json::object{{"code", "1234"}}},
        {"sendAt", core::to_rfc3339(f.world.clock.now() + 24h)}});
    core::ScopeId const scope_id{std::stoll(f.world.scope_id())};
    auto const token = core::Uuid::v7();
    notify::sms_attempts::Attempt const attempt{scope_id, *core::Uuid::parse(id),
        core::Time(std::chrono::microseconds(std::stoll(f.queued_at(id)))), token};
    pg::Database database({.url = f.world.postgres.service_url()});
    pg::Batcher<notify::sms_attempts::Attempt, bool> batcher(database, notify::sms_attempts::begin_batch);
    testing::Contexts contexts;
    auto const begins = [&] { return contexts.await(batcher.run(attempt)); };
    auto const lease = [&](std::string const& owner, std::string const& until) {
        f.world.postgres.query("UPDATE jobs SET lease_owner = '" + owner +
                               "', run_at = jobs_now() + interval '" + until + "' WHERE ref = '" + id + "'");
    };
    CHECK_FALSE(begins());
    lease(core::Uuid::v7().to_string(), "1 minute"); // another worker has taken over
    CHECK_FALSE(begins());
    lease(token.to_string(), "0");
    CHECK_FALSE(begins());
    CHECK(f.open_attempts() == 0);
    lease(token.to_string(), "1 minute");
    CHECK(begins());
    CHECK(begins()); // the same attempt
    CHECK(f.open_attempts() == 1);
    database.stop();
}

TEST_CASE("a tenant with many messages at a slow Twilio does not delay other tenants")
{
    constexpr unsigned messages = 60;
    Fixture f({{"SMS_SENDER_VERIFIED", "true"}});
    f.world.new_template("code", {{"channel", "sms"}, {"body", "Your code is {{code}}."}}, "other-sandbox");
    f.server.delay(10min);
    for (unsigned i = 0; i < messages; ++i)
        f.send();
    // A tenant has a quarter of the 128 messages that may be in flight.
    REQUIRE(eventually([&] { return f.server.requests() == 32; }));
    auto const elsewhere = f.world.send({{"templateName", "code"}, {"channel", "sms"}, {"to", "+14155550199"},
                                            {"variables", json::object{{"code", "1"}}}},
        "other-sandbox");
    REQUIRE(eventually([&] { return f.server.requests() == 33; }));
    f.server.delay(0ms);
    CHECK(f.world.becomes(elsewhere, "sent", "other-sandbox"));
    CHECK(eventually([&] { return f.server.accepted().size() == messages + 1; }));
    CHECK(f.server.requests() == messages + 1);
    CHECK(eventually([&] { return f.open_attempts() == 0; }));
}

TEST_CASE("Twilio's temporary errors are retried")
{
    struct Case {
        unsigned status;
        int code;
    };

    auto const c = GENERATE(Case{503, 20503}, Case{503, 0}, Case{429, 20429}, Case{401, 20003});
    Fixture f;
    f.server.refuse_with(c.status, c.code);
    auto const id = f.send();
    REQUIRE(eventually([&] { return f.world.notification(id).at("attempts") == 1; }));
    CHECK(text(f.world.notification(id), "status") == "queued");
    f.server.refuse_with(201);
    f.world.clock.advance(12s);
    REQUIRE(f.world.becomes(id, "sent"));
    CHECK(f.world.notification(id).at("attempts") == 2);
    CHECK(f.server.requests() == 2);
    CHECK(f.open_attempts() == 0);
}

TEST_CASE("a message is not sent again after an error with which Twilio may have created it")
{
    struct Case {
        unsigned status;
        int code;
        char const* reason;
    };

    auto const c = GENERATE(Case{500, 20500, "20500"}, Case{524, 0, "HTTP_524"}, Case{502, 0, "HTTP_502"},
        Case{408, 0, "HTTP_408"});
    Fixture f;
    f.server.refuse_with(c.status, c.code);
    auto const id = f.send();
    REQUIRE(f.world.becomes(id, "failed"));
    CHECK(text(f.world.notification(id), "failureReason") == c.reason);
    f.server.refuse_with(201);
    f.world.clock.advance(1h);
    REQUIRE(f.world.becomes(f.send("+14155550199"), "sent"));
    CHECK(f.server.requests() == 2);
    CHECK(f.world.notification(id).at("attempts") == 1);
    CHECK(f.open_attempts() == 0);
}

TEST_CASE("after the last retry a message fails with the last reason, and can be retried by request")
{
    Fixture f;
    f.server.refuse_with(503, 20503);
    auto const id = f.send();
    for (int attempt = 1; attempt <= 9; ++attempt) {
        REQUIRE(eventually([&] { return f.world.notification(id).at("attempts") == attempt; }));
        if (attempt < 9) f.world.clock.advance(12s * (1 << (attempt - 1)));
    }
    REQUIRE(f.world.becomes(id, "failed"));
    CHECK(text(f.world.notification(id), "failureReason") == "20503");
    CHECK(f.server.requests() == 9);
    f.world.clock.advance(24h);

    f.server.refuse_with(201);
    REQUIRE(f.world.as_backend().post("/v1/notifications/" + id + "/retry", "{}").status == 202);
    REQUIRE(f.world.becomes(id, "sent"));
    CHECK(f.world.notification(id).at("attempts") == 1);
    CHECK(statuses_of(f.world, id) == "queued failed queued sent");
}

TEST_CASE("an unreachable Twilio is retried later")
{
    TwilioServer server;
    auto options = with_twilio(server);
    options.environment["TWILIO_BASE_URL"] = "http://127.0.0.1:" + std::to_string(testing::free_port());
    World world(options);
    world.new_template("plain", {{"channel", "sms"}, {"body", "Hello"}});
    auto const id = world.send({{"templateName", "plain"}, {"channel", "sms"}, {"to", number}});
    REQUIRE(eventually([&] { return world.notification(id).at("attempts") == 1; }));
    CHECK(text(world.notification(id), "status") == "queued");
    world.clock.advance(12s);
    REQUIRE(eventually([&] { return world.notification(id).at("attempts") == 2; }));
}

TEST_CASE("messages beyond the shared sender's limit wait")
{
    // Notifications have 20 % of the sender's limit, and a tenant has half of that.
    Fixture f({{"SMS_SENDER_PER_MINUTE", "20"}});
    std::vector<std::string> ids;
    for (int i = 0; i < 4; ++i)
        ids.push_back(f.send());
    auto const sent = [&] {
        return std::ranges::count_if(
            ids, [&](auto const& id) { return text(f.world.notification(id), "status") == "sent"; });
    };
    REQUIRE(eventually([&] { return sent() == 2 && f.put_off() == 2; }));
    CHECK(f.server.requests() == 2);
    auto const log = f.world.logged();
    auto const line = log.find(R"("message":"a limit refused a text message")");
    REQUIRE(line != std::string::npos);
    CHECK(log.find(R"("limit":"tenant_share")") != std::string::npos);
    CHECK(log.find(R"("message":"a limit refused a text message")", line + 1) == std::string::npos);
    f.world.clock.advance(61s);
    REQUIRE(eventually([&] { return sent() == 4; }));
    for (auto const& id : ids)
        CHECK(f.world.notification(id).at("attempts") == 1);
}

TEST_CASE("a message fails if the shared sender has no place for it within a day")
{
    Fixture f({{"SMS_SENDER_VERIFIED", "false"}});
    use_up_sender(f.world, f.world.clock.now() + 12h);
    auto const id = f.send();
    REQUIRE(eventually([&] { return f.put_off() == 1; }));
    f.world.clock.advance(24h - 1s);
    REQUIRE(eventually([&] { return f.put_off() == 1; }));
    CHECK(text(f.world.notification(id), "status") == "queued");
    f.world.clock.advance(15min);
    REQUIRE(f.world.becomes(id, "failed"));
    CHECK(text(f.world.notification(id), "failureReason") == "SMS_SENDER_LIMIT");
    CHECK(f.server.requests() == 0);
}

TEST_CASE("a message beyond the tenant's messages per day fails, and can be retried on the next day")
{
    Fixture f;
    f.world.limit({{"smsPerDay", 2}, {"sandboxSms", true}});
    for (int i = 0; i < 2; ++i)
        f.sent();
    auto const id = f.send();
    REQUIRE(f.world.becomes(id, "failed"));
    CHECK(text(f.world.notification(id), "failureReason") == "SMS_DAILY_LIMIT");
    CHECK(f.world.notification(id).at("attempts") == 0);
    CHECK(f.server.requests() == 2);
    f.world.clock.advance(24h);
    REQUIRE(f.world.as_backend().post("/v1/notifications/" + id + "/retry", "{}").status == 202);
    REQUIRE(f.world.becomes(id, "sent"));
}

TEST_CASE("messages of the sandbox go to the outbox, unless the operator allows it")
{
    TwilioServer server;
    auto options = with_twilio(server);
    options.sandbox_sms = false;
    World world(options);
    world.new_template("plain", {{"channel", "sms"}, {"body", "Hello"}});
    json::object const message{{"templateName", "plain"}, {"channel", "sms"}, {"to", number}};
    REQUIRE(world.becomes(world.send(message), "sent"));
    REQUIRE(world.texts().size() == 1);
    CHECK(world.texts()[0].at("env") == "sandbox");
    CHECK(server.requests() == 0);
    REQUIRE(world.becomes(world.send(message, "demo"), "sent", "demo"));
    CHECK(server.requests() == 1);
    CHECK(world.texts().size() == 1);
    world.limit({{"sandboxSms", true}});
    REQUIRE(world.becomes(world.send(message), "sent"));
    CHECK(server.requests() == 2);
}

TEST_CASE("without an outbox, messages of the sandbox are dropped")
{
    TwilioServer server;
    auto options = with_twilio(server, {{"SMS_OUTBOX", ""}});
    options.sandbox_sms = false;
    World world(options);
    world.new_template("plain", {{"channel", "sms"}, {"body", "Hello"}});
    REQUIRE(
        world.becomes(world.send({{"templateName", "plain"}, {"channel", "sms"}, {"to", number}}), "sent"));
    CHECK(server.requests() == 0);
}

TEST_CASE("messages wait while the sender's limit cannot be checked, and are sent afterwards")
{
    Fixture f;
    auto const id = f.world.send({{"templateName", "code"}, {"channel", "sms"}, {"to", number},
        {"variables", json::object{{"code", "1234"}}},
        {"sendAt", core::to_rfc3339(f.world.clock.now() + 50s)}});
    f.world.redis.stop();
    f.world.clock.advance(51s);
    REQUIRE(eventually([&] { return f.put_off() == 1; }));
    CHECK(f.server.requests() == 0);
    f.world.redis.start();
    REQUIRE(eventually([&] {
        // The limit may be checked before the connection to Redis is back.
        if (f.put_off() == 1) f.world.clock.advance(5s);
        return text(f.world.notification(id), "status") == "sent";
    }));
    CHECK(f.world.notification(id).at("attempts") == 1);
    CHECK(f.server.requests() == 1);
}

TEST_CASE("no callbacks are requested from Twilio if there is no webhook URL")
{
    Fixture f({{"TWILIO_WEBHOOK_URL", ""}});
    REQUIRE(f.world.becomes(f.send(), "sent"));
    CHECK_FALSE(f.server.accepted().back().contains("StatusCallback"));
}

TEST_CASE("the outbox records the tenant and environment of text messages")
{
    World world;
    world.new_template("plain", {{"channel", "sms"}, {"body", "Hello"}});
    auto const id = world.send({{"templateName", "plain"}, {"channel", "sms"}, {"to", number}});
    REQUIRE(world.becomes(id, "sent"));
    auto const texts = world.texts();
    REQUIRE(texts.size() == 1);
    CHECK(texts[0].at("tenant") == "demo");
    CHECK(texts[0].at("env") == "sandbox");
    CHECK(texts[0].at("to") == number);
    CHECK(texts[0].at("body") == "Hello");
}
