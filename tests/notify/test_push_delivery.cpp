#include "domain/push_payload.hpp"
#include "push_delivery.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

// The service's reactions to the carriers' responses. Other files test_push*.cpp test how the responses are
// read.

using namespace push_delivery_test;

namespace {

json::object with_since(core::Time since)
{
    auto const ms = std::chrono::duration_cast<std::chrono::milliseconds>(since.time_since_epoch());
    return {{"since", ms.count()}};
}

} // namespace

TEST_CASE(
    "a push goes to all devices of a user, through the carrier of each device, with different ids", "[push]")
{
    Fixture f;
    f.world.new_device(ada, "ok:1", "ios");
    f.world.new_device(ada, "ok:2", "android");
    f.world.new_device(ada, "ok:3", "web");
    f.world.new_device(bob, "ok:4", "android");
    auto const id = f.send();
    REQUIRE(f.world.becomes(id, "sent"));
    CHECK(f.world.notification(id).at("attempts") == 1);
    for (auto const* token : {"ok:1", "ok:2", "ok:3"})
        CHECK(f.delivered(id, token, "sent"));
    REQUIRE(f.apns.seen().size() == 1);
    auto const at_apns = f.apns.seen().front();
    CHECK(at_apns.at("token") == "ok:1");
    auto const device = f.world.postgres.query("SELECT device_id FROM devices WHERE token = 'ok:1'");
    CHECK(text(at_apns.at("headers"), "apns-id") ==
          notify::push_id(*core::Uuid::parse(id), std::stoll(device)).to_string());
    CHECK(text(at_apns.at("headers"), "apns-collapse-id") == id);
    CHECK(f.fcm.seen("ok:2") == 1);
    CHECK(f.fcm.seen("ok:3") == 1);
    CHECK(f.fcm.seen().size() == 2);
}

TEST_CASE("a push has the status sent when a carrier accepted it for one device, and attempts continue for "
          "the others",
    "[push]")
{
    Fixture f;
    f.world.new_device(ada, "ok:1");
    f.world.new_device(ada, "INTERNAL-once:2");
    auto const id = f.send();
    REQUIRE(f.world.becomes(id, "sent"));
    CHECK(f.delivery(id, "INTERNAL-once:2").at("status") == "pending");
    CHECK(f.delivery(id, "INTERNAL-once:2").at("reason") == "INTERNAL");
    f.world.clock.advance(12s);
    REQUIRE(f.delivered(id, "INTERNAL-once:2", "sent"));
    CHECK(f.delivery(id, "INTERNAL-once:2").at("attempts") == 2);
    CHECK(f.fcm.seen("ok:1") == 1);
    CHECK(f.world.notification(id).at("attempts") == 2);
    CHECK(f.world.postgres.query("SELECT count(*) FROM jobs WHERE queue LIKE 'notify.push%'") == "0");
}

TEST_CASE("a push without devices fails, and a retry reaches a device registered later", "[push]")
{
    Fixture f;
    auto const id = f.send();
    REQUIRE(f.world.becomes(id, "failed"));
    CHECK(text(f.world.notification(id), "failureReason") == "NO_DEVICES");
    f.world.new_device(ada, "ok:1");
    REQUIRE(f.world.as_backend().post("/v1/notifications/" + id + "/retry", "{}").status == 202);
    REQUIRE(f.world.becomes(id, "sent"));
}

TEST_CASE("a push refused by every device fails with the last reason", "[push]")
{
    Fixture f;
    f.world.new_device(ada, "PayloadEmpty:1", "ios");
    auto const id = f.send();
    REQUIRE(f.world.becomes(id, "failed"));
    CHECK(text(f.world.notification(id), "failureReason").find("PayloadEmpty") != std::string::npos);
    CHECK(f.delivery(id, "PayloadEmpty:1").at("status") == "failed");
    CHECK(f.devices() == 1);
}

TEST_CASE("only the device without a platform fails", "[push]")
{
    Fixture f;
    REQUIRE(f.world.as_backend().del("/v1/platforms/apns").status == 200);
    f.world.new_device(ada, "ok:1", "ios");
    f.world.new_device(ada, "ok:2", "android");
    auto const id = f.send();
    REQUIRE(f.world.becomes(id, "sent"));
    REQUIRE(f.delivered(id, "ok:1", "failed")); // by a job of its own
    CHECK(f.delivery(id, "ok:1").at("reason") == "PLATFORM_NOT_CONFIGURED");
}

TEST_CASE("a device that moved to another user gets no push for the first user", "[push]")
{
    Fixture f;
    f.world.new_device(ada, "INTERNAL-once:1");
    auto const id = f.send();
    REQUIRE(f.attempted(id, 1));
    f.world.new_device(bob, "INTERNAL-once:1");
    f.world.clock.advance(12s);
    REQUIRE(f.world.becomes(id, "failed"));
    CHECK(f.delivery(id, "INTERNAL-once:1").at("reason") == "DEVICE_REMOVED");
    CHECK(f.fcm.seen("INTERNAL-once:1") == 1);
}

// --- invalid tokens

TEST_CASE("a device with an invalid token is removed", "[push]")
{
    Fixture f;
    f.world.new_device(ada, "UNREGISTERED:1");
    f.world.new_device(ada, "ok:2");
    auto const id = f.send();
    REQUIRE(f.world.becomes(id, "sent"));
    CHECK(f.delivery(id, "UNREGISTERED:1").at("status") == "invalid");
    CHECK(f.delivery(id, "UNREGISTERED:1").at("reason") == "UNREGISTERED");
    CHECK(f.devices() == 1);
}

TEST_CASE("a device is removed only if its token became invalid after the registration", "[push]")
{
    auto const now = core::SystemClock().now();
    SECTION("the token became invalid an hour before the registration")
    {
        Fixture f(with_since(now - 1h));
        f.world.new_device(ada, "Unregistered_at:1", "ios");
        auto const id = f.send();
        REQUIRE(f.world.becomes(id, "failed"));
        CHECK(f.delivery(id, "Unregistered_at:1").at("status") == "invalid");
        CHECK(f.devices() == 1);
    }
    SECTION("the token became invalid after the registration")
    {
        Fixture f(with_since(now + 1h));
        f.world.new_device(ada, "Unregistered_at:1", "ios");
        REQUIRE(f.world.becomes(f.send(), "failed"));
        CHECK(f.devices() == 0);
    }
}

TEST_CASE("if more than half of fifty tokens are invalid, no further device is removed", "[push]")
{
    Fixture f;
    auto const register_gone = [&](int count) {
        for (int i = 0; i < count; ++i)
            f.world.new_device(ada, "UNREGISTERED:" + std::to_string(i));
    };
    SECTION("up to forty-nine invalid devices are removed")
    {
        register_gone(49);
        REQUIRE(f.world.becomes(f.send(), "failed"));
        CHECK(eventually([&] { return f.devices() == 0; }));
        CHECK(f.platform("fcm").at("pruningStoppedAt").is_null());
    }
    SECTION("fifty invalid devices are kept, and later ones too")
    {
        register_gone(50);
        REQUIRE(f.world.becomes(f.send(), "failed"));
        CHECK(eventually([&] { return f.world.logged().find("pruning stopped") != std::string::npos; }));
        CHECK(f.devices() == 50);
        CHECK(text(f.platform("fcm"), "pruningStoppedAt") == core::to_rfc3339(f.world.clock.now()));
        CHECK(f.platform("apns").at("pruningStoppedAt").is_null());
        f.world.new_device(bob, "UNREGISTERED:bob");
        REQUIRE(f.world.becomes(f.send(bob), "failed"));
        CHECK(f.devices(bob) == 1);

        // The invalid tokens of another credential are counted separately.
        f.world.put_fcm();
        REQUIRE(f.world.becomes(f.send(bob), "failed"));
        CHECK(eventually([&] { return f.devices(bob) == 0; }));
        CHECK(f.platform("fcm").at("pruningStoppedAt").is_null());
    }
    SECTION("no device is removed after another replica has stopped pruning")
    {
        f.world.postgres.query("UPDATE platforms SET pruning_stopped_at = now() WHERE kind = 'fcm'");
        register_gone(1);
        REQUIRE(f.world.becomes(f.send(), "failed"));
        CHECK(f.devices() == 1);
    }
}

/// The devices that FCM has answered today.
static std::string counted_today(Fixture const& f)
{
    return f.world.redis.ask({"EVAL",
        "local keys = redis.call('KEYS', 'notify:answers:*:fcm:*') "
        "return keys[1] and redis.call('PFCOUNT', keys[1]) or 0",
        "0"});
}

TEST_CASE("the devices of pushes to users are counted once a day", "[push]")
{
    Fixture f;
    auto const register_devices = [&](std::string const& user, int count, std::string const& prefix) {
        for (int i = 0; i < count; ++i)
            f.world.new_device(user, prefix + std::to_string(i));
    };
    register_devices(ada, 24, "ok:");
    register_devices(bob, 26, "UNREGISTERED:");
    SECTION("a device that gets several pushes counts once: 26 of 50 devices are gone")
    {
        for (int i = 0; i < 3; ++i)
            REQUIRE(f.world.becomes(f.send(), "sent"));
        REQUIRE(f.world.becomes(f.send(bob), "failed"));
        CHECK(eventually([&] { return !f.platform("fcm").at("pruningStoppedAt").is_null(); }));
        CHECK(f.devices(bob) == 26);
    }
    SECTION("the devices of the day before do not count: 26 of 26 devices are gone, which is too few to stop")
    {
        REQUIRE(f.world.becomes(f.send(), "sent"));
        CHECK(eventually([&] { return counted_today(f) == "24"; }));
        f.world.clock.advance(24h);
        REQUIRE(f.world.becomes(f.send(bob), "failed"));
        CHECK(eventually([&] { return f.devices(bob) == 0; }));
        CHECK(f.platform("fcm").at("pruningStoppedAt").is_null());
    }
    SECTION("without Redis, no device is removed")
    {
        f.fcm.script({{"delay", 500}});
        auto const id = f.send(bob);
        REQUIRE(eventually([&] { return f.fcm.pushes() > 0; }));
        f.world.redis.stop();
        REQUIRE(f.world.becomes(id, "failed"));
        CHECK(eventually([&] {
            return f.world.logged().find("devices that a carrier reports as gone were not removed") !=
                   std::string::npos;
        }));
        CHECK(f.devices(bob) == 26);
    }
}

// --- outcomes that the database refuses

TEST_CASE("a push whose outcome cannot be written fails, and is not sent again", "[push]")
{
    Fixture f;
    f.world.postgres.query("ALTER TABLE push_deliveries ADD CHECK (status <> 'sent')");
    f.world.new_device(ada, "ok:1");
    auto const id = f.send();
    REQUIRE(f.world.becomes(id, "failed"));
    CHECK(text(f.world.notification(id), "failureReason") == "INTERNAL");
    CHECK(f.fcm.seen("ok:1") == 1);
    CHECK(f.world.postgres.query("SELECT count(*) FROM jobs WHERE queue LIKE 'notify.push%'") == "0");
    CHECK(f.world.postgres.query("SELECT ref FROM dead_jobs WHERE reason LIKE '%push_deliveries%'") == id);
}

// --- carrier failures

TEST_CASE("a push to an unreachable carrier is untried, and keeps its place for an hour", "[push][faults]")
{
    World world; // the carriers are unreachable
    world.new_template("ping", {{"channel", "push"}});
    world.put_apns();
    world.new_device(ada, "ok:1", "ios");
    auto const id = world.send({{"templateName", "ping"}, {"channel", "push"}, {"to", ada}});
    auto const delivery_is = [&](std::string const& state) {
        return eventually([&] {
            return world.postgres.query(
                       "SELECT status || ' ' || attempts || ' ' || reason FROM push_deliveries") == state;
        });
    };
    REQUIRE(delivery_is("pending 0 CARRIER_DOWN"));
    CHECK(world.notification(id).at("attempts") == 0);
    CHECK(text(world.notification(id), "status") == "queued");
    world.clock.advance(1h + 1min);
    REQUIRE(world.becomes(id, "failed"));
    CHECK(text(world.notification(id), "failureReason") == "CARRIER_DOWN");
    CHECK(world.notification(id).at("attempts") == 0);
}

TEST_CASE("a push whose connection breaks is retried", "[push][faults]")
{
    auto const trouble = GENERATE("drop-once:1", "reset-once:1", "refuse-once:1", "goaway-once:1");
    Fixture f;
    f.world.new_device(ada, trouble);
    auto const id = f.send();
    REQUIRE(eventually([&] {
        auto const n = f.world.notification(id);
        if (n.at("status") == "sent") return true;
        // A postponed job has no lease.
        bool const put_off = f.world.postgres.query(R"(
            SELECT count(*)
            FROM jobs
            WHERE queue LIKE 'notify.push%' AND lease_owner IS NULL AND attempts > 0 AND run_at > ')" +
                                                    core::to_rfc3339(f.world.clock.now() + 1ms) + "'") == "1";
        if (put_off) f.world.clock.advance(12s);
        return false;
    }));
    CHECK(f.delivery(id, trouble).at("status") == "sent");
}

TEST_CASE("a push with sendAt is kept by the carrier for four weeks from its due time", "[push]")
{
    Fixture f;
    f.world.new_device(ada, "ok:1", "ios");
    auto const due = std::chrono::ceil<std::chrono::seconds>(f.world.clock.now()) + std::chrono::days(20);
    auto const id = f.world.send(
        {{"templateName", "ping"}, {"channel", "push"}, {"to", ada}, {"sendAt", core::to_rfc3339(due)}});
    f.world.clock.set(due);
    REQUIRE(f.world.becomes(id, "sent"));
    REQUIRE(f.apns.seen().size() == 1);
    auto const expires = std::stoll(text(f.apns.seen().front().at("headers"), "apns-expiration"));
    CHECK(core::Time(std::chrono::seconds(expires)) == due + notify::push_lifetime);
}

TEST_CASE("the options of a push reach both carriers", "[push]")
{
    Fixture f;
    f.world.new_device(ada, "ok:1", "ios");
    f.world.new_device(ada, "ok:2", "android");
    f.world.new_template("alert", {{"channel", "push"}, {"subject", "Alert"}, {"body", "Hello"},
                                      {"push", json::object{{"ttlSeconds", 60}, {"priority", "normal"},
                                                   {"collapseKey", "orders"}, {"channelId", "template"}}}});
    auto const id = f.world.send({{"templateName", "alert"}, {"channel", "push"}, {"to", ada},
        {"push", json::object{{"channelId", "send"}, {"image", "https://example.com/7.png"}, {"badge", 3}}}});
    REQUIRE(f.delivered(id, "ok:1", "sent"));
    REQUIRE(f.delivered(id, "ok:2", "sent"));

    auto const at_apns = f.apns.seen().at(0);
    auto const& headers = at_apns.at("headers");
    CHECK(text(headers, "apns-priority") == "5");
    CHECK(text(headers, "apns-push-type") == "alert");
    CHECK(text(headers, "apns-collapse-id") == "orders");
    auto const expires = std::stoll(text(headers, "apns-expiration"));
    CHECK(expires == core::unix_seconds(f.world.clock.now()) + 60);
    CHECK(at_apns.at("body").at("aps") == json::value({{"alert", {{"title", "Alert"}, {"body", "Hello"}}},
                                              {"badge", 3}, {"sound", "default"}, {"mutable-content", 1}}));

    auto const android = f.fcm.seen().at(0).at("body").at("message").at("android");
    CHECK(android == json::value({{"priority", "normal"}, {"ttl", "60s"},
                         {"notification", {{"tag", "orders"}, {"image", "https://example.com/7.png"},
                                              {"channel_id", "send"}, {"notification_count", 3}}}}));
}

TEST_CASE("a background push reaches both carriers without an alert", "[push]")
{
    Fixture f;
    f.world.new_device(ada, "ok:1", "ios");
    f.world.new_device(ada, "ok:2", "android");
    auto const id = f.world.send({{"templateName", "ping"}, {"channel", "push"}, {"to", ada},
        {"push", json::object{{"background", true}}}});
    REQUIRE(f.delivered(id, "ok:1", "sent"));
    REQUIRE(f.delivered(id, "ok:2", "sent"));
    auto const at_apns = f.apns.seen().at(0);
    CHECK(text(at_apns.at("headers"), "apns-push-type") == "background");
    CHECK(text(at_apns.at("headers"), "apns-priority") == "5");
    CHECK(at_apns.at("body").at("aps") == json::object{{"content-available", 1}});
    auto const message = f.fcm.seen().at(0).at("body").at("message").as_object();
    CHECK_FALSE(message.contains("notification"));
    CHECK(text(message.at("data"), "title") == "Ping");
}

TEST_CASE("an unexpected failure is retried like any other, and the retries end", "[push]")
{
    Fixture f;
    f.world.new_device(ada, "ok:1");
    f.world.postgres.query("UPDATE platforms SET sealed_credential = 'broken' WHERE kind = 'fcm'");
    auto const id = f.send();
    for (int attempt = 1; attempt < 9; ++attempt) {
        REQUIRE(f.attempted(id, attempt));
        CHECK(text(f.world.notification(id), "status") == "queued");
        f.world.clock.advance(12s * (1 << (attempt - 1)));
    }
    REQUIRE(f.world.becomes(id, "failed"));
    CHECK(text(f.world.notification(id), "failureReason") == "INTERNAL");
    CHECK(f.world.notification(id).at("attempts") == 9);
    CHECK(f.world.postgres.query("SELECT count(*) FROM jobs WHERE queue LIKE 'notify.push%'") == "0");
    CHECK(f.fcm.seen().empty());
    // After a new credential is stored, the push is sent.
    f.world.put_fcm();
    REQUIRE(f.world.as_backend().post("/v1/notifications/" + id + "/retry", "").status == 202);
    CHECK(f.world.becomes(id, "sent"));
}

TEST_CASE("metrics show the carriers' responses and the outcomes of jobs", "[push]")
{
    Fixture f;
    f.world.new_device(ada, "ok:1", "ios");
    f.world.new_device(ada, "ok:2", "android");
    f.world.new_device(ada, "UNREGISTERED:3", "android");
    REQUIRE(f.world.becomes(f.send(), "sent"));
    auto const shows = [&](std::string const& series) {
        return eventually(
            [&] { return f.world.host->metrics().expose().find(series + '\n') != std::string::npos; });
    };
    std::string const answers = "tetrad_provider_answers_total{answer=";
    CHECK(shows(answers + R"("accepted",provider="apns",service="notify"} 1)"));
    CHECK(shows(answers + R"("accepted",provider="fcm",service="notify"} 1)"));
    CHECK(shows(answers + R"("gone",provider="fcm",service="notify"} 1)"));
    CHECK(shows(answers + R"("gone",provider="apns",service="notify"} 0)"));
    CHECK(shows(R"(tetrad_jobs_total{outcome="done",queue="notify.push.fcm",service="notify"} 1)"));
    CHECK(shows(R"(tetrad_worker_threads{queue="notify.push.apns",service="notify"} 8192)"));
    CHECK(shows(R"(tetrad_worker_threads_busy{queue="notify.push.apns",service="notify"} 0)"));
}
