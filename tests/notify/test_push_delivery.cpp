#include "domain/push_payload.hpp"
#include "push_server.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

// What the engine makes of the carriers' answers; the answers themselves are the business of test_push*.cpp.

namespace {

namespace json = boost::json;

json::object with_since(core::Time since)
{
    auto const ms = std::chrono::duration_cast<std::chrono::milliseconds>(since.time_since_epoch());
    return {{"since", ms.count()}};
}

/// The service with both carriers, and their credentials stored for `demo-sandbox`. Tokens say how they are
/// answered.
struct Fixture {
    explicit Fixture(json::object const& apns_options = {})
        : apns("apns.mjs", apns_options),
          world({.environment = {{"FCM_BASE_URL", fcm.url()}, {"FCM_TOKEN_URL", fcm.token_url()},
                     {"APNS_BASE_URL", apns.url()}}})
    {
        world.new_template("ping", {{"channel", "push"}, {"subject", "Ping"}, {"body", "Hello"}});
        world.put_fcm();
        world.put_apns();
    }

    std::string send(std::string const& user = ada, std::string const& tenant = "demo-sandbox") const
    {
        return world.send({{"templateName", "ping"}, {"channel", "push"}, {"to", user}}, tenant);
    }

    /// One of the notification's deliveries; without members when there is none (yet).
    json::object delivery(std::string const& id, std::string_view token) const
    {
        auto const n = world.notification(id);
        for (auto const& item : n.at("deliveries").as_array())
            if (text(item, "token") == token) return item.as_object();
        return {};
    }

    bool delivered(std::string const& id, std::string_view token, std::string_view status) const
    {
        return eventually([&] {
            auto const found = delivery(id, token);
            return !found.empty() && text(found, "status") == status;
        });
    }

    bool attempted(std::string const& id, int times) const
    {
        return eventually([&] { return world.notification(id).at("attempts") == times; });
    }

    std::size_t devices(std::string const& user = ada) const
    {
        auto backend = world.as_backend();
        return all_items(backend, "/v1/devices?userId=" + user).size();
    }

    json::object platform(std::string_view kind) const
    {
        auto const all = world.as_backend().get("/v1/platforms").json();
        for (auto const& item : all.at("platforms").as_array())
            if (text(item, "kind") == kind) return item.as_object();
        FAIL("there is no platform " << kind);
        return {};
    }

    PushServer fcm{"fcm.mjs"};
    PushServer apns;
    World world;
};

} // namespace

TEST_CASE("a push goes to all of a user's devices, each by its carrier, under ids of its own", "[push]")
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
        CHECK(f.delivery(id, token).at("status") == "sent");
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

TEST_CASE("a push is sent once one device accepted it, and goes on for the others", "[push]")
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
    CHECK(f.world.postgres.query("SELECT count(*) FROM jobs WHERE queue = 'notify.push'") == "0");
}

TEST_CASE("a push to nobody's device has failed, and reaches a device that came later when it is tried anew",
    "[push]")
{
    Fixture f;
    auto const id = f.send();
    REQUIRE(f.world.becomes(id, "failed"));
    CHECK(text(f.world.notification(id), "failureReason") == "NO_DEVICES");
    f.world.new_device(ada, "ok:1");
    REQUIRE(f.world.as_backend().post("/v1/notifications/" + id + "/retry", "{}").status == 202);
    REQUIRE(f.world.becomes(id, "sent"));
}

TEST_CASE("when every device refuses, the push has failed with the last reason", "[push]")
{
    Fixture f;
    f.world.new_device(ada, "PayloadEmpty:1", "ios");
    auto const id = f.send();
    REQUIRE(f.world.becomes(id, "failed"));
    CHECK(text(f.world.notification(id), "failureReason").find("PayloadEmpty") != std::string::npos);
    CHECK(f.delivery(id, "PayloadEmpty:1").at("status") == "failed");
    CHECK(f.devices() == 1);
}

TEST_CASE("a device without a platform fails by itself", "[push]")
{
    Fixture f;
    REQUIRE(f.world.as_backend().del("/v1/platforms/apns").status == 200);
    f.world.new_device(ada, "ok:1", "ios");
    f.world.new_device(ada, "ok:2", "android");
    auto const id = f.send();
    REQUIRE(f.world.becomes(id, "sent"));
    CHECK(f.delivery(id, "ok:1").at("status") == "failed");
    CHECK(f.delivery(id, "ok:1").at("reason") == "PLATFORM_NOT_CONFIGURED");
}

TEST_CASE("a device that has gone over to another user gets nothing of the first one's", "[push]")
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

// --- tokens that are gone

TEST_CASE("a device whose token is gone is removed", "[push]")
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

TEST_CASE("a device that was registered after its token went stays", "[push]")
{
    auto const now = core::SystemClock().now();
    SECTION("it went an hour ago")
    {
        Fixture f(with_since(now - 1h));
        f.world.new_device(ada, "Unregistered_at:1", "ios");
        auto const id = f.send();
        REQUIRE(f.world.becomes(id, "failed"));
        CHECK(f.delivery(id, "Unregistered_at:1").at("status") == "invalid");
        CHECK(f.devices() == 1);
    }
    SECTION("it has gone since")
    {
        Fixture f(with_since(now + 1h));
        f.world.new_device(ada, "Unregistered_at:1", "ios");
        REQUIRE(f.world.becomes(f.send(), "failed"));
        CHECK(f.devices() == 0);
    }
}

TEST_CASE("when over half of fifty are said to be gone nothing is removed any more", "[push]")
{
    Fixture f;
    auto const register_gone = [&](int count) {
        for (int i = 0; i < count; ++i)
            f.world.new_device(ada, "UNREGISTERED:" + std::to_string(i));
    };
    SECTION("forty-nine are removed")
    {
        register_gone(49);
        REQUIRE(f.world.becomes(f.send(), "failed"));
        CHECK(f.devices() == 0);
        CHECK(f.platform("fcm").at("pruningStoppedAt").is_null());
    }
    SECTION("fifty are not, nor is any other")
    {
        register_gone(50);
        REQUIRE(f.world.becomes(f.send(), "failed"));
        CHECK(f.devices() == 50);
        CHECK(f.world.logged().find("none is removed any more") != std::string::npos);
        CHECK(text(f.platform("fcm"), "pruningStoppedAt") == core::to_rfc3339(f.world.clock.now()));
        CHECK(f.platform("apns").at("pruningStoppedAt").is_null());
        f.world.new_device(bob, "UNREGISTERED:bob");
        REQUIRE(f.world.becomes(f.send(bob), "failed"));
        CHECK(f.devices(bob) == 1);

        // Another credential is judged by itself.
        f.world.put_fcm();
        REQUIRE(f.world.becomes(f.send(bob), "failed"));
        CHECK(f.devices(bob) == 0);
        CHECK(f.platform("fcm").at("pruningStoppedAt").is_null());
    }
    SECTION("not even one is where another replica, or the same before it was restarted, has seen fifty")
    {
        f.world.postgres.query("UPDATE platforms SET pruning_stopped_at = now() WHERE kind = 'fcm'");
        register_gone(1);
        REQUIRE(f.world.becomes(f.send(), "failed"));
        CHECK(f.devices() == 1);
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
    CHECK(f.world.postgres.query("SELECT count(*) FROM jobs WHERE queue = 'notify.push'") == "0");
    CHECK(f.world.postgres.query("SELECT ref FROM dead_jobs WHERE reason LIKE '%push_deliveries%'") == id);
}

// --- credentials that are refused

TEST_CASE("a refused credential pauses its platform of its scope until the next PUT", "[push]")
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

    // The other platform, and the other scope, go on; the paused one is not asked.
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

TEST_CASE("what waited an hour for a platform has failed, with the carrier's reason", "[push]")
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

TEST_CASE("a credential that comes while the carrier refuses the last one loses no time", "[push]")
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

TEST_CASE("a platform that is removed while pushes wait for it fails them", "[push]")
{
    Fixture f;
    f.world.new_device(ada, "PERMISSION_DENIED:1");
    auto const id = f.send();
    REQUIRE(f.attempted(id, 1));
    REQUIRE(f.world.as_backend().del("/v1/platforms/fcm").status == 200);
    REQUIRE(f.world.becomes(id, "failed"));
    CHECK(text(f.world.notification(id), "failureReason") == "PLATFORM_NOT_CONFIGURED");
}

TEST_CASE("the end of a pause wakes all that waited, however many", "[push]")
{
    constexpr int pushes = 520; // more than one step of it
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

// --- carriers in trouble

TEST_CASE("a carrier that is down is reached later", "[push][faults]")
{
    World world; // where nobody carries pushes
    world.new_template("ping", {{"channel", "push"}});
    world.put_apns();
    world.new_device(ada, "ok:1", "ios");
    auto const id = world.send({{"templateName", "ping"}, {"channel", "push"}, {"to", ada}});
    REQUIRE(eventually([&] { return world.notification(id).at("attempts") == 1; }));
    CHECK(text(world.notification(id), "status") == "queued");
    world.clock.advance(12s);
    REQUIRE(eventually([&] { return world.notification(id).at("attempts") == 2; }));
}

TEST_CASE("a connection that is lost in the middle costs a push nothing but time", "[push][faults]")
{
    auto const trouble = GENERATE("drop-once:1", "reset-once:1", "refuse-once:1", "goaway-once:1");
    Fixture f;
    f.world.new_device(ada, trouble);
    auto const id = f.send();
    REQUIRE(eventually([&] {
        auto const n = f.world.notification(id);
        if (n.at("status") == "sent") return true;
        // Nobody holds a job that has been put off.
        bool const put_off =
            f.world.postgres.query("SELECT count(*) FROM jobs WHERE queue = 'notify.push' AND "
                                   "lease_owner IS NULL AND attempts > 0 AND run_at > '" +
                                   core::to_rfc3339(f.world.clock.now() + 1ms) + "'") == "1";
        if (put_off) f.world.clock.advance(12s);
        return false;
    }));
    CHECK(f.delivery(id, trouble).at("status") == "sent");
}

TEST_CASE("a push that was told to wait is kept for four weeks from when it is due", "[push]")
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

TEST_CASE("what breaks on something unforeseen is tried as anything else, and has an end", "[push]")
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
    CHECK(f.world.postgres.query("SELECT count(*) FROM jobs WHERE queue = 'notify.push'") == "0");
    CHECK(f.fcm.seen().empty());
    // Nothing of it is lost: with another credential it goes out.
    f.world.put_fcm();
    REQUIRE(f.world.as_backend().post("/v1/notifications/" + id + "/retry", "").status == 202);
    CHECK(f.world.becomes(id, "sent"));
}

TEST_CASE("operators see what carriers answer, and what becomes of the jobs", "[push]")
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
    CHECK(shows(R"(tetrad_jobs_total{outcome="done",queue="notify.push",service="notify"} 1)"));
    CHECK(shows(R"(tetrad_worker_threads{queue="notify.push",service="notify"} 32)"));
    CHECK(shows(R"(tetrad_worker_threads_busy{queue="notify.push",service="notify"} 0)"));
}
