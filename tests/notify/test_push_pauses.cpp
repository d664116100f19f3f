#include "push_delivery.hpp"

// Pausing of platforms whose credential a carrier refuses, and the pushes that wait during the pause.

using namespace push_delivery_test;

TEST_CASE("a refused credential pauses its platform in its scope until the next PUT", "[push]")
{
    Fixture f;
    f.world.put_fcm("demo");
    f.world.new_device(ada, "PERMISSION_DENIED:1");
    f.world.new_device(bob, "ok:2", "ios");
    f.world.new_device(ada, "ok:3", "android", "demo");
    auto const waiting = f.send();
    REQUIRE(f.attempted(waiting, 1));
    CHECK(text(f.world.notification(waiting), "status") == "queued");
    auto const paused = f.platform("fcm");
    CHECK(text(paused, "pausedUntil") == core::to_rfc3339(f.world.clock.now() + 1h));
    CHECK(text(paused, "pausedReason").find("PERMISSION_DENIED") != std::string::npos);
    CHECK(text(f.platform("apns"), "pausedUntil") == "null");

    // The other platform and the other scope continue; the paused platform gets no request.
    REQUIRE(f.world.becomes(f.send(bob), "sent"));
    REQUIRE(f.world.becomes(f.send(ada, "demo"), "sent", "demo"));
    auto const another = f.send();
    REQUIRE(f.delivered(another, "PERMISSION_DENIED:1", "pending"));
    CHECK(f.world.notification(another).at("attempts") == 0);
    CHECK(f.fcm.seen("PERMISSION_DENIED:1") == 1);

    f.fcm.script({{"tokens", json::object{{"PERMISSION_DENIED:1", "ok"}}}});
    f.world.put_fcm();
    CHECK(text(f.platform("fcm"), "pausedUntil") == "null");
    REQUIRE(f.world.becomes(waiting, "sent"));
    REQUIRE(f.world.becomes(another, "sent"));
}

TEST_CASE("a token of another Firebase project fails at its device only, which stays registered", "[push]")
{
    std::string const reason = "SENDER_ID_MISMATCH: SenderId mismatch", token = "SENDER_ID_MISMATCH:";
    Fixture f;
    f.world.new_device(ada, token + "1");
    f.world.new_device(ada, "ok:2");
    auto const id = f.send();
    REQUIRE(f.delivered(id, token + "1", "failed"));
    REQUIRE(f.world.becomes(id, "sent"));
    CHECK(text(f.delivery(id, token + "1"), "reason") == reason);
    CHECK(f.delivery(id, token + "1").at("attempts") == 1);

    // A push that reaches no other device fails, at the first answer.
    f.world.new_device(bob, token + "3");
    auto const alone = f.send(bob);
    REQUIRE(f.world.becomes(alone, "failed"));
    CHECK(text(f.world.notification(alone), "failureReason") == reason);
    CHECK(f.world.notification(alone).at("attempts") == 1);
    CHECK(f.fcm.seen(token + "3") == 1);

    CHECK(text(f.platform("fcm"), "pausedUntil") == "null");
    CHECK(f.devices() == 2);
    CHECK(f.devices(bob) == 1);
    REQUIRE(f.world.becomes(f.send(), "sent"));
}

TEST_CASE("tokens of another Firebase project count as failed in a broadcast, and stay registered",
    "[push][broadcast]")
{
    constexpr int foreign = 60; // enough devices that pruning would stop if they counted as gone
    Fixture f;
    f.world.postgres.query("INSERT INTO devices (scope_id, token, user_id, platform, created_at, updated_at) "
                           "SELECT " +
                           f.world.scope_id() + ", 'SENDER_ID_MISMATCH:' || n, 'user-' || n, 'android', " +
                           "now(), now() FROM generate_series(1, " + std::to_string(foreign) + ") AS n");
    f.world.new_device(ada, "ok:1");
    auto const made = require(202, f.world.as_backend().post("/v1/notifications/broadcast",
                                       R"({"templateName":"ping","channel":"push"})"));
    auto const path = "/v1/notifications/broadcasts/" + text(made.json(), "broadcastId");
    auto const shown = [&] { return f.world.as_backend().get(path).json(); };
    REQUIRE(eventually([&] { return text(shown(), "completedAt") != "null"; }));
    CHECK(shown().at("sentCount") == 1);
    CHECK(shown().at("failedCount") == foreign);
    CHECK(shown().at("invalidTokenCount") == 0);
    CHECK(text(shown().at("carriers").at(0), "state") == "ok");
    CHECK(f.fcm.pushes() == foreign + 1);
    CHECK(text(f.platform("fcm"), "pausedUntil") == "null");
    CHECK(text(f.platform("fcm"), "pruningStoppedAt") == "null");
    CHECK(f.world.postgres.query("SELECT count(*) FROM devices") == std::to_string(foreign + 1));
}

TEST_CASE("a push that has waited an hour for a platform fails with the carrier's reason", "[push]")
{
    Fixture f;
    f.world.new_device(ada, "PERMISSION_DENIED:1");
    auto const id = f.send();
    REQUIRE(f.attempted(id, 1));
    f.world.clock.advance(59min);
    CHECK(text(f.platform("fcm"), "pausedUntil") != "null");
    f.world.clock.advance(1min);
    REQUIRE(f.world.becomes(id, "failed"));
    CHECK(text(f.world.notification(id), "failureReason").find("PERMISSION_DENIED") != std::string::npos);
    CHECK(f.fcm.seen("PERMISSION_DENIED:1") == 2);
}

TEST_CASE("a credential that is stored while the carrier refuses the old one takes effect at once", "[push]")
{
    Fixture f;
    f.world.new_device(ada, "PERMISSION_DENIED:1");
    f.fcm.script({{"delay", 500}});
    auto const id = f.send();
    REQUIRE(eventually([&] { return f.fcm.seen("PERMISSION_DENIED:1") == 1; }));
    f.fcm.script({{"delay", 0}, {"tokens", json::object{{"PERMISSION_DENIED:1", "ok"}}}});
    f.world.put_fcm();
    REQUIRE(f.world.becomes(id, "sent"));
    CHECK(f.world.notification(id).at("attempts") == 2);
}

TEST_CASE("removing a platform fails the pushes that wait for it", "[push]")
{
    Fixture f;
    f.world.new_device(ada, "PERMISSION_DENIED:1");
    auto const id = f.send();
    REQUIRE(f.attempted(id, 1));
    REQUIRE(f.world.as_backend().del("/v1/platforms/fcm").status == 200);
    REQUIRE(f.world.becomes(id, "failed"));
    CHECK(text(f.world.notification(id), "failureReason") == "PLATFORM_NOT_CONFIGURED");
}

TEST_CASE("the end of a pause makes all waiting pushes due, in several steps", "[push]")
{
    constexpr int pushes = 520; // more pushes than one step handles
    Fixture f;
    f.world.new_device(ada, "PERMISSION_DENIED:1");
    REQUIRE(f.attempted(f.send(), 1));
    for (int i = 1; i < pushes; ++i)
        f.send();
    auto const pending = [&] {
        return f.world.postgres.query("SELECT count(*) FROM push_deliveries WHERE status = 'pending'");
    };
    REQUIRE(eventually([&] { return pending() == std::to_string(pushes); }, 2min));
    f.fcm.script({{"tokens", json::object{{"PERMISSION_DENIED:1", "ok"}}}});
    f.world.put_fcm();
    CHECK(eventually([&] { return pending() == "0"; }, 2min));
    CHECK(f.world.postgres.query("SELECT count(*) FROM notifications WHERE status = 'sent'") ==
          std::to_string(pushes));
}
