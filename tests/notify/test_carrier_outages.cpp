#include "broadcasts.hpp"
#include "providers/push_quota.hpp"
#include "support/process.hpp"
#include "support/redis_fixture.hpp"

#include <csignal>

// Pushes and broadcasts whose carrier is away, throttles, does not answer, or refuses the credential.

using namespace broadcast_test;

namespace {

/// The service with an APNs that is not running. `start_apns` starts it.
struct WithoutApns : Fixture {
    explicit WithoutApns(
        std::map<std::string, std::string> environment = {}, unsigned short free_port = testing::free_port())
        : Fixture(std::move(environment), {}, {{"port", free_port}}), port(free_port)
    {
        apns.process().signal(SIGKILL);
        REQUIRE(apns.process().wait());
    }

    PushServer start_apns() const { return PushServer("apns.mjs", {{"port", port}}); }

    unsigned short const port;
};

/// Waits for `condition`, and moves the clock to each next run of the jobs that are put off.
template <class Condition> bool after_retries(World const& world, Condition condition)
{
    return eventually(
        [&] {
            if (condition()) return true;
            auto const now = "'" + core::to_rfc3339(world.clock.now()) + "'::timestamptz";
            auto const wait = world.postgres.query("SELECT ceil(extract(epoch FROM min(run_at) - " + now +
                                                   ")) FROM jobs WHERE lease_owner IS NULL AND run_at > " +
                                                   now + " + interval '1 ms'");
            if (!wait.empty()) world.clock.advance(std::chrono::seconds(std::stoll(wait)));
            return false;
        },
        2min);
}

std::string send(Fixture const& f, std::string const& user = ada)
{
    return f.world.send({{"templateName", "news"}, {"channel", "push"}, {"to", user}});
}

/// `status attempts reason` of the only delivery of a push; empty if it has none yet.
std::string delivery(Fixture const& f, std::string const& id)
{
    auto const n = f.world.notification(id);
    auto const& all = n.at("deliveries").as_array();
    if (all.empty()) return {};
    return text(all.at(0), "status") + ' ' + std::to_string(number(all.at(0), "attempts")) + ' ' +
           text(all.at(0), "reason");
}

/// `state since` of a carrier, as the broadcast shows it.
std::string state_of(Fixture const& f, std::string const& broadcast, std::string_view carrier)
{
    auto const shown = f.broadcast(broadcast);
    for (auto const& each : shown.at("carriers").as_array())
        if (text(each, "kind") == carrier) return text(each, "state") + ' ' + text(each, "since");
    return {};
}

} // namespace

// --- a carrier that is away

TEST_CASE("a push that waited for an unreachable carrier is sent when the carrier is back", "[push][faults]")
{
    WithoutApns f;
    f.world.new_device(ada, "ok:1", "ios");
    auto const id = send(f);
    REQUIRE(eventually([&] { return delivery(f, id) == "pending 0 CARRIER_DOWN"; }));
    CHECK(f.world.notification(id).at("attempts") == 0);
    auto const apns = f.start_apns();
    REQUIRE(after_retries(f.world, [&] { return text(f.world.notification(id), "status") == "sent"; }));
    CHECK(f.world.notification(id).at("attempts") == 1);
    CHECK(delivery(f, id) == "sent 1 null");
    CHECK(apns.seen("ok:1") == 1);
}

TEST_CASE("a broadcast goes on with its untried devices when the carrier is back", "[broadcast][faults]")
{
    WithoutApns f({{"BROADCAST_CHUNK", "3"}});
    f.new_devices(10, "ok:", "ios");
    auto const id = f.start();
    // The chunks keep ranges of devices, and no device of its own.
    REQUIRE(eventually([&] {
        return f.world.postgres.query("SELECT count(*) || ' ' || sum(devices) FROM broadcast_chunks "
                                      "WHERE began_at IS NOT NULL AND waiting_ids = '{}'") == "4 10";
    }));
    CHECK(counters(f.broadcast(id)) == "10 0 0 0");
    auto const apns = f.start_apns();
    REQUIRE(after_retries(f.world, [&] { return text(f.broadcast(id), "completedAt") != "null"; }));
    CHECK(counters(f.broadcast(id)) == "10 10 0 0");
    CHECK(apns.pushes() == 10);
    CHECK(f.tidy());
}

// --- a carrier that throttles

TEST_CASE("a push that FCM throttles counts no attempt, and is sent after the Retry-After", "[push]")
{
    Fixture f({}, {{"retryAfter", 1}});
    std::string const token = "QUOTA_EXCEEDED-once:1";
    f.world.new_device(ada, token);
    auto const id = send(f);
    REQUIRE(eventually([&] { return delivery(f, id) == "pending 0 QUOTA_EXCEEDED"; }));
    CHECK(f.world.notification(id).at("attempts") == 0);
    REQUIRE(after_retries(f.world, [&] { return text(f.world.notification(id), "status") == "sent"; }));
    CHECK(f.world.notification(id).at("attempts") == 1);
    CHECK(f.fcm.seen(token) == 2);
}

TEST_CASE("a broadcast shows which of its carriers works and which throttles", "[broadcast]")
{
    Fixture f;
    f.world.new_device(ada, "QUOTA_EXCEEDED_SOON:1");
    f.world.new_device(ada, "ok:2", "ios");
    auto const id = f.start();
    auto const throttled = "throttled " + core::to_rfc3339(f.world.clock.now());
    REQUIRE(eventually([&] { return state_of(f, id, "fcm") == throttled; }));
    CHECK(state_of(f, id, "apns") == "ok null");
    REQUIRE(f.counts(id, "2 1 0 0"));
    // The device that was throttled waits one by one, without an attempt.
    REQUIRE(eventually(
        [&] { return f.world.postgres.query("SELECT waiting_tries FROM broadcast_chunks") == "{0}"; }));

    // A later broadcast waits for FCM as a range, and gets no response.
    f.new_devices(5, "ok:later");
    auto const later = f.start();
    REQUIRE(f.counts(later, "7 1 0 0"));
    REQUIRE(eventually([&] {
        return f.world.postgres.query("SELECT sum(devices) FROM broadcast_chunks WHERE began_at IS NOT NULL "
                                      "AND broadcast_id = '" +
                                      later + "'") == "6";
    }));
    CHECK(f.fcm.pushes() == 1);
}

TEST_CASE("a broadcast shows that FCM throttles the project in another replica", "[broadcast]")
{
    Fixture f;
    auto const id = f.start();
    CHECK(state_of(f, id, "fcm") == "ok null");
    observe::Logger logger("test", observe::Level::off);
    testing::Contexts contexts(1);
    redis::Client client(testing::patient_client(f.world.redis.url()), contexts.all, logger);
    notify::PushQuota other_replica(client, *contexts.all[0], 600'000);
    auto const since = f.world.clock.now();
    core::ScopeId const scope{std::stoll(f.world.scope_id())};
    other_replica.hold(core::tenant_of(scope), "demo-project", 1h, since);
    auto const throttled = "throttled " + core::to_rfc3339(since);
    CHECK(eventually([&] { return state_of(f, id, "fcm") == throttled; }));
    CHECK(state_of(f, id, "apns") == "ok null");
}

TEST_CASE("a second push to a device that APNs throttles waits without an attempt", "[push]")
{
    Fixture f;
    std::string const token = "TooManyRequests_later-once:1";
    f.world.new_device(ada, token, "ios");
    auto const first = send(f);
    REQUIRE(eventually([&] { return delivery(f, first) == "pending 0 TooManyRequests"; }));
    auto const second = send(f);
    REQUIRE(eventually([&] { return delivery(f, second) == "pending 0 CARRIER_THROTTLED"; }));
    CHECK(f.apns.pushes() == 1);
    CHECK(f.world.notification(second).at("attempts") == 0);
    for (auto const& id : {first, second}) {
        REQUIRE(after_retries(f.world, [&] { return text(f.world.notification(id), "status") == "sent"; }));
        CHECK(f.world.notification(id).at("attempts") == 1);
    }
    CHECK(f.apns.pushes() == 3);
}

// --- a carrier that does not answer

TEST_CASE("pushes in flight hold no thread, and delay no push to the other carrier", "[push]")
{
    constexpr int pushes = 200;
    Fixture f;
    f.world.new_device(bob, "hang:1");
    f.world.new_device(ada, "ok:2", "ios");
    // All pushes are due at the same time, so that they are in flight before the first one times out.
    auto const due = core::to_rfc3339(f.world.clock.now() + 1min);
    for (int i = 0; i < pushes; ++i)
        f.world.send({{"templateName", "news"}, {"channel", "push"}, {"to", bob}, {"sendAt", due}});
    f.world.clock.advance(1min);
    REQUIRE(eventually([&] { return f.fcm.pushes() == pushes; }));
    REQUIRE(f.world.becomes(send(f), "sent"));
    CHECK(f.world.postgres.query(
              "SELECT count(*) FROM notifications WHERE status = 'queued' AND attempts = 0") ==
          std::to_string(pushes));
}

TEST_CASE("the devices of a carrier that does not answer delay no device of the other carrier", "[broadcast]")
{
    Fixture f({{"BROADCAST_CHUNK", "7"}});
    f.new_devices(100, "hang:");
    f.new_devices(100, "ok:i", "ios");
    auto const id = f.start();
    REQUIRE(eventually([&] { return f.fcm.pushes() > 0; }));
    REQUIRE(f.counts(id, "200 100 0 0"));
    CHECK(f.apns.pushes() == 100);
}

// --- a refused credential

TEST_CASE(
    "the first refusal of a credential stops a broadcast until a new credential is stored", "[broadcast]")
{
    Fixture f({{"BROADCAST_CHUNK", "5"}, {"PUSH_CONNECTIONS", "1"}}, {{"streams", 1}});
    f.new_devices(20, "PERMISSION_DENIED:");
    auto const id = f.start();
    // Only the device whose push was refused is stored by itself.
    REQUIRE(eventually([&] {
        return f.world.postgres.query("SELECT sum(devices) || ' ' || sum(cardinality(waiting_ids)) "
                                      "FROM broadcast_chunks WHERE began_at IS NOT NULL "
                                      "HAVING count(*) = 4") == "19 1";
    }));
    CHECK(counters(f.broadcast(id)) == "20 0 0 0");
    CHECK(f.fcm.pushes() == 1);
    f.fcm.script({{"all", "ok"}});
    f.world.put_fcm();
    REQUIRE(f.completes(id));
    CHECK(counters(f.broadcast(id)) == "20 20 0 0");
    CHECK(f.fcm.pushes() == 21);
}

TEST_CASE(
    "after pruning has stopped, no broadcast removes devices until a new credential is stored", "[broadcast]")
{
    Fixture f;
    f.new_devices(30, "UNREGISTERED:");
    f.new_devices(25, "ok:");
    auto const run = [&] {
        REQUIRE(f.completes(f.start()));
        REQUIRE(f.tidy());
        return f.devices();
    };
    CHECK(run() == "55");
    f.world.postgres.query(
        "DELETE FROM devices WHERE token LIKE 'UNREGISTERED:%' AND token <> 'UNREGISTERED:1'");
    CHECK(run() == "26"); // one of 26 devices is gone
    f.world.put_fcm();
    CHECK(run() == "25");
}
