#include "broadcasts.hpp"
#include "domain/push_payload.hpp"
#include "storage/broadcasts.hpp"

// Tests the delivery of broadcasts and the results of the delivery. Crashes are tested in
// test_broadcast_crash.cpp.

using namespace broadcast_test;

// --- sending

TEST_CASE(
    "a broadcast goes to every device through the device's carrier, and the counters add up", "[broadcast]")
{
    Fixture f;
    f.world.new_device(ada, "ok:1", "ios");
    f.world.new_device(ada, "ok:2", "android");
    f.world.new_device(bob, "ok:3", "web");
    f.world.new_device(bob, "INVALID_ARGUMENT:4");
    f.world.new_device(bob, "UNREGISTERED:5");
    f.world.new_device(ada, "ok:6", "android", "demo"); // a device of another scope
    auto const id = f.start();
    REQUIRE(f.completes(id));
    auto const b = f.broadcast(id);
    CHECK(counters(b) == "5 3 1 1");
    CHECK(text(b, "status") == "fanned_out");
    CHECK(text(b, "templateName") == "news");
    CHECK(text(b, "channel") == "push");
    CHECK(text(b, "dedupeKey") == "null");
    CHECK(text(b, "cancelledAt") == "null");
    CHECK(text(b, "startedAt") <= text(b, "fannedOutAt"));
    CHECK(text(b, "fannedOutAt") <= text(b, "completedAt"));
    CHECK(f.tidy());
    CHECK(f.world.postgres.query("SELECT string_agg(token, ' ' ORDER BY token) FROM devices") ==
          "INVALID_ARGUMENT:4 ok:1 ok:2 ok:3 ok:6");

    REQUIRE(f.apns.seen().size() == 1);
    auto const at_apns = f.apns.seen().front();
    auto const device =
        std::stoll(f.world.postgres.query("SELECT device_id FROM devices WHERE token = 'ok:1'"));
    CHECK(text(at_apns.at("headers"), "apns-collapse-id") == id);
    CHECK(text(at_apns.at("headers"), "apns-id") ==
          notify::push_id(*core::Uuid::parse(id), device).to_string());
    CHECK(text(at_apns.at("body"), "broadcastId") == id);
    auto const at_fcm = f.fcm.seen();
    REQUIRE(at_fcm.size() == 4);
    for (auto const& push : at_fcm) {
        auto const& message = push.at("body").at("message");
        CHECK(text(message.at("notification"), "title") == "News");
        CHECK(text(message.at("notification"), "body") == "Something happened");
        CHECK(text(message.at("data"), "broadcastId") == id);
        CHECK(text(message.at("android").at("notification"), "tag") == id);
        CHECK_FALSE(message.at("android").as_object().contains("collapse_key"));
    }
}

TEST_CASE("a broadcast is rendered when it is accepted", "[broadcast]")
{
    Fixture f;
    f.world.new_template("hello", {{"channel", "push"}, {"subject", "Hi {{name}}"}, {"body", "{{n}} < 3"}});
    f.world.new_device(ada, "ok:1");
    auto const id =
        f.start(asked({{"templateName", "hello"}, {"variables", json::object{{"name", "all"}, {"n", "2"}}}}));
    REQUIRE(f.completes(id));
    auto const pushes = f.fcm.seen();
    REQUIRE(pushes.size() == 1);
    CHECK(text(pushes[0].at("body").at("message").at("notification"), "title") == "Hi all");
    CHECK(text(pushes[0].at("body").at("message").at("notification"), "body") == "2 < 3");
}

TEST_CASE("a broadcast has the push options that its template had at the acceptance", "[broadcast]")
{
    Fixture f;
    f.new_devices(1, "ok:a");
    f.new_devices(1, "ok:i", "ios");
    auto const template_id = f.world.new_template("offer",
        {{"channel", "push"}, {"body", "b"}, {"push", json::object{{"collapseKey", "offer"}, {"badge", 2}}}});
    auto const id = f.start(asked({{"templateName", "offer"}}));
    REQUIRE(f.world.as_backend().patch("/v1/templates/" + template_id, R"({"push":null})").status == 200);
    REQUIRE(f.completes(id));
    auto const at_apns = f.apns.seen().at(0);
    CHECK(text(at_apns.at("headers"), "apns-collapse-id") == "offer");
    CHECK(number(at_apns.at("body").at("aps"), "badge") == 2);
    auto const android = f.fcm.seen().at(0).at("body").at("message").at("android");
    CHECK(text(android.at("notification"), "tag") == "offer");
    CHECK(number(android.at("notification"), "notification_count") == 2);
}

TEST_CASE("a broadcast without devices is complete", "[broadcast]")
{
    Fixture f;
    auto const id = f.start();
    REQUIRE(f.completes(id));
    CHECK(counters(f.broadcast(id)) == "0 0 0 0");
    CHECK(text(f.broadcast(id), "status") == "fanned_out");
}

TEST_CASE("with many chunks every device gets one push, and the counters always add up", "[broadcast]")
{
    Fixture f({{"BROADCAST_CHUNK", "7"}});
    f.new_devices(300, "ok:a");
    f.new_devices(300, "ok:i", "ios");
    f.new_devices(20, "UNREGISTERED:");
    f.new_devices(10, "INVALID_ARGUMENT:");
    f.fcm.script({{"delay", 5}});
    auto const id = f.start();
    std::int64_t done_before = 0;
    bool sound = true;
    REQUIRE(eventually(
        [&] {
            auto const b = f.broadcast(id);
            auto const done =
                number(b, "sentCount") + number(b, "failedCount") + number(b, "invalidTokenCount");
            bool const complete = text(b, "completedAt") != "null";
            sound = sound && done >= done_before && done <= number(b, "enqueuedDevices") &&
                    number(b, "enqueuedDevices") <= 630 &&
                    (!complete || (done == 630 && text(b, "status") == "fanned_out"));
            done_before = done;
            return complete;
        },
        2min));
    CHECK(sound);
    CHECK(counters(f.broadcast(id)) == "630 600 10 20");
    CHECK(f.fcm.pushes() == 330);
    CHECK(f.apns.pushes() == 300);
    CHECK(f.tidy());
    CHECK(f.devices() == "610");
}

TEST_CASE("a broadcast goes to the devices that were registered when it was accepted", "[broadcast]")
{
    Fixture f;
    core::ScopeId const scope_id{std::stoll(f.world.scope_id())};
    f.new_devices(3, "ok:before");
    // The job is due in an hour, so that the devices change before the broadcast is cut into chunks.
    notify::broadcasts::NewBroadcast row{.scope_id = scope_id,
        .broadcast = {},
        .title = "News",
        .body = "x",
        .now = f.world.clock.now(),
        .due_at = f.world.clock.now() + 1h};
    row.broadcast.id = core::Uuid::v7();
    row.broadcast.template_name = "news";
    pg::Database db({.url = f.world.postgres.service_url(), .threads = 1, .queue_timeout = 30s});
    db.transact_blocking(scope_id, [&](pg::Tx& tx) { notify::broadcasts::insert(tx, row); });
    db.stop();
    f.world.new_device(ada, "ok:after");
    f.world.new_device(ada, "ok:before1"); // registers the same device again
    REQUIRE(f.world.as_app().del("/v1/devices/ok:before2").status == 200);
    auto const id = row.broadcast.id.to_string();
    CHECK(text(f.broadcast(id), "status") == "queued");
    f.world.clock.advance(1h);
    REQUIRE(f.completes(id));
    CHECK(counters(f.broadcast(id)) == "2 2 0 0");
    CHECK(f.fcm.seen("ok:after") == 0);
    CHECK(f.fcm.seen("ok:before1") == 1);
    CHECK(f.fcm.seen("ok:before2") == 0);
}

TEST_CASE("direct sends overtake a broadcast that fills its carrier", "[broadcast]")
{
    Fixture f({}, {{"streams", 20}});
    f.new_devices(500, "hang:");
    auto const id = f.start();
    REQUIRE(eventually([&] { return f.fcm.pushes() > 0; }));
    f.world.new_device(ada, "ok:direct");
    for (int i = 0; i < 3; ++i) {
        auto const direct = f.world.send({{"templateName", "news"}, {"channel", "push"}, {"to", ada}});
        REQUIRE(f.world.becomes(direct, "sent"));
    }
    CHECK(number(f.broadcast(id), "sentCount") == 0);
    CHECK(number(f.broadcast(id), "enqueuedDevices") == 500);
}

// --- retries and waiting

TEST_CASE("only a device with a temporary failure is retried", "[broadcast]")
{
    Fixture f;
    f.world.new_device(ada, "ok:1");
    f.world.new_device(ada, "INTERNAL-once:2");
    f.world.new_device(ada, "InternalServerError-once:3", "ios");
    auto const id = f.start();
    REQUIRE(f.counts(id, "3 1 0 0"));
    CHECK(text(f.broadcast(id), "status") == "fanned_out");
    CHECK(text(f.broadcast(id), "completedAt") == "null");
    f.put_off();
    f.world.clock.advance(30s); // each device has its own retry time
    REQUIRE(f.completes(id));
    CHECK(counters(f.broadcast(id)) == "3 3 0 0");
    CHECK(f.fcm.seen("ok:1") == 1);
    CHECK(f.fcm.seen("INTERNAL-once:2") == 2);
    CHECK(f.apns.seen("InternalServerError-once:3") == 2);
}

TEST_CASE("a device whose pushes always fail is given up after three retries within a minute", "[broadcast]")
{
    Fixture f;
    f.world.new_device(ada, "INTERNAL:1");
    auto const began = f.world.clock.now();
    auto const id = f.start();
    for (std::size_t tries = 1; tries <= 3; ++tries) {
        REQUIRE(eventually([&] { return f.fcm.seen("INTERNAL:1") == tries; }));
        CHECK(counters(f.broadcast(id)) == "1 0 0 0");
        f.go_on();
    }
    REQUIRE(f.completes(id));
    CHECK(f.fcm.seen("INTERNAL:1") == 4);
    CHECK(counters(f.broadcast(id)) == "1 0 1 0");
    CHECK(f.world.clock.now() < began + 1min);
    CHECK(f.devices() == "1");
}

TEST_CASE("a device with a Retry-After does not delay other devices of its chunk", "[broadcast]")
{
    Fixture f;
    f.world.new_device(ada, "TooManyRequests_later:1", "ios"); // Retry-After: 60 s
    f.world.new_device(ada, "INTERNAL-once:2");
    auto const began = f.world.clock.now();
    auto const id = f.start();
    f.go_on(2);
    REQUIRE(f.counts(id, "2 1 0 0"));
    CHECK(f.world.clock.now() < began + 10s);
    CHECK(f.apns.seen("TooManyRequests_later:1") == 1);
    f.apns.script({{"all", "ok"}});
    f.go_on();
    REQUIRE(f.completes(id));
    CHECK(f.world.clock.now() >= began + 60s);
    CHECK(counters(f.broadcast(id)) == "2 2 0 0");
}

TEST_CASE("devices of an unreachable carrier are untried, and fail after an hour", "[broadcast]")
{
    World world; // the carriers are unreachable
    world.new_template("news", {{"channel", "push"}});
    world.put_apns();
    world.new_device(ada, "ok:1", "ios");
    world.new_device(ada, "ok:2", "android"); // FCM is not configured
    auto backend = world.as_backend();
    auto const made = backend.post(path, asked());
    REQUIRE(made.status == 202);
    auto const one = std::string(list_path) + '/' + text(made.json(), "broadcastId");
    auto const carrier = [&] { return backend.get(one).json().at("carriers").at(0).as_object(); };
    REQUIRE(eventually([&] { return text(carrier(), "state") == "down"; }));
    CHECK(text(carrier(), "kind") == "apns");
    CHECK(text(carrier(), "since") <= core::to_rfc3339(world.clock.now()));
    REQUIRE(eventually([&] { return counters(backend.get(one).json()) == "2 0 1 0"; }));
    REQUIRE(eventually([&] {
        return world.postgres.query(
                   "SELECT first_device_id <= last_device_id AND devices = 1 AND waiting_ids = '{}' "
                   "FROM broadcast_chunks WHERE began_at IS NOT NULL") == "t";
    }));
    world.clock.advance(1h + 1min);
    REQUIRE(eventually([&] { return text(backend.get(one).json(), "completedAt") != "null"; }));
    CHECK(counters(backend.get(one).json()) == "2 0 2 0");
}

TEST_CASE("a device that is unregistered while it waits counts as an invalid token", "[broadcast]")
{
    Fixture f;
    f.world.new_device(ada, "INTERNAL:1");
    auto const id = f.start();
    REQUIRE(eventually([&] { return f.fcm.seen("INTERNAL:1") == 1; }));
    REQUIRE(f.world.as_app().del("/v1/devices/INTERNAL:1").status == 200);
    f.go_on();
    REQUIRE(f.completes(id));
    CHECK(counters(f.broadcast(id)) == "1 0 0 1");
    CHECK(f.fcm.seen("INTERNAL:1") == 1);
}

TEST_CASE("devices wait for a new credential if the carrier refuses the stored one", "[broadcast]")
{
    Fixture f({{"BROADCAST_CHUNK", "2"}});
    f.world.new_device(ada, "PERMISSION_DENIED:1");
    f.world.new_device(ada, "ok:2", "ios");
    f.new_devices(5, "PERMISSION_DENIED:more");
    auto const id = f.start();
    auto const waiting = [&] {
        return f.world.postgres.query("SELECT sum(devices + cardinality(waiting_ids)) FROM broadcast_chunks "
                                      "WHERE began_at IS NOT NULL");
    };
    REQUIRE(eventually([&] { return waiting() == "6" && counters(f.broadcast(id)) == "7 1 0 0"; }));
    auto const platforms = f.world.as_backend().get("/v1/platforms").body;
    CHECK(platforms.find("PERMISSION_DENIED") != std::string::npos);

    f.fcm.script({{"all", "ok"}});
    f.world.put_fcm();
    REQUIRE(f.completes(id));
    CHECK(counters(f.broadcast(id)) == "7 7 0 0");
    CHECK(f.apns.seen("ok:2") == 1);
}

TEST_CASE("devices that have waited an hour for a credential fail", "[broadcast]")
{
    Fixture f;
    f.world.new_device(ada, "PERMISSION_DENIED:1");
    auto const began = f.world.clock.now();
    auto const id = f.start();
    REQUIRE(eventually([&] { return f.fcm.pushes() == 1; }));
    f.go_on();
    REQUIRE(f.completes(id));
    CHECK(f.world.clock.now() >= began + 1h);
    CHECK(counters(f.broadcast(id)) == "1 0 1 0");
}

// --- invalid tokens

TEST_CASE("a device is removed only if its token became invalid after the registration", "[broadcast]")
{
    auto const since = GENERATE(-1h, 1h);
    auto const ms = std::chrono::duration_cast<std::chrono::milliseconds>(
        (core::SystemClock().now() + since).time_since_epoch());
    Fixture f({}, {}, {{"since", ms.count()}});
    f.world.new_device(ada, "Unregistered_at:1", "ios");
    auto const id = f.start();
    REQUIRE(f.completes(id));
    CHECK(counters(f.broadcast(id)) == "1 0 0 1");
    CHECK(f.tidy());
    CHECK(f.devices() == (since < 0h ? "1" : "0"));
}

TEST_CASE("a device that is registered again during the request to the carrier is kept", "[broadcast]")
{
    Fixture f;
    f.world.new_device(ada, "UNREGISTERED:1");
    f.fcm.script({{"delay", 500}});
    auto const id = f.start();
    REQUIRE(eventually([&] { return f.fcm.seen("UNREGISTERED:1") == 1; }));
    f.world.new_device(bob, "UNREGISTERED:1");
    REQUIRE(f.completes(id));
    CHECK(counters(f.broadcast(id)) == "1 0 0 1");
    CHECK(f.tidy());
    CHECK(f.devices() == "1");
}

TEST_CASE(
    "if more than half of fifty tokens are invalid, no device is removed and all are counted", "[broadcast]")
{
    Fixture f;
    f.new_devices(30, "UNREGISTERED:");
    f.new_devices(25, "ok:");
    auto const id = f.start();
    REQUIRE(f.completes(id));
    CHECK(counters(f.broadcast(id)) == "55 25 0 30");
    CHECK(f.tidy());
    CHECK(f.devices() == "55");
    CHECK(f.world.logged().find("pruning stopped") != std::string::npos);
    CHECK(f.world.postgres.query("SELECT kind FROM platforms WHERE pruning_stopped_at IS NOT NULL") == "fcm");
}

TEST_CASE(
    "the invalid tokens of all chunks are judged together, when the broadcast is complete", "[broadcast]")
{
    SECTION("most devices of the broadcast are gone, but fewer than fifty of each chunk")
    {
        Fixture f({{"BROADCAST_CHUNK", "7"}});
        f.new_devices(30, "UNREGISTERED:");
        f.new_devices(25, "ok:");
        REQUIRE(f.completes(f.start()));
        CHECK(f.tidy());
        CHECK(f.devices() == "55");
        CHECK(f.world.postgres.query("SELECT kind FROM platforms WHERE pruning_stopped_at IS NOT NULL") ==
              "fcm");
    }
    SECTION("all devices of a large chunk are gone, but fewer than half of the broadcast")
    {
        Fixture f({{"BROADCAST_CHUNK", "60"}});
        f.new_devices(60, "UNREGISTERED:");
        f.new_devices(61, "ok:");
        REQUIRE(f.completes(f.start()));
        CHECK(f.tidy());
        CHECK(f.devices() == "61");
        CHECK(f.world.postgres.query("SELECT count(pruning_stopped_at) FROM platforms") == "0");
    }
}

// --- outcomes that the database refuses

TEST_CASE("the rest of a chunk fails if the outcome of its run cannot be written", "[broadcast]")
{
    Fixture f;
    f.world.postgres.query("ALTER TABLE broadcasts ADD CHECK (sent_count = 0)");
    f.world.new_device(ada, "ok:1");
    auto const id = f.start();
    REQUIRE(f.completes(id));
    CHECK(counters(f.broadcast(id)) == "1 0 1 0");
    CHECK(f.fcm.seen("ok:1") == 1);
    CHECK(f.tidy());
    CHECK(f.world.postgres.query("SELECT queue FROM dead_jobs") == "notify.broadcast_chunk.fcm");
}
