// Very many concurrent deliveries: endpoints that hang do not delay other deliveries.
#include "delivery.hpp"
#include "silent_hosts.hpp"

#include <pqxx/connection>
#include <pqxx/transaction>

#include <cstdio>
#include <ctime>
#include <optional>

using namespace webhooks_test;
using testing::eventually;

namespace {

/// Tenants whose webhooks go to hosts that never respond. The time limit of an attempt is an hour, and a test
/// waits for at most half a minute. So a test fails if a delivery waits until such a host times out.
struct Crowd : Delivery {
    explicit Crowd(std::size_t count) : Delivery(true, 1h), hosts(count) {}

    ~Crowd() { hosts.release(); }

    /// Creates webhooks of one scope for `hosts` hosts, from `first_host` on; at most 20.
    void subscribe(core::Scope const& to, std::size_t first_host, std::size_t count)
    {
        scope = to;
        for (std::size_t i = 0; i < count; ++i)
            create(hosts.url(first_host + i));
    }

    void publish_from(core::Scope const& from, std::size_t events = 1)
    {
        scope = from;
        for (std::size_t i = 0; i < events; ++i)
            publish();
    }

    static core::Scope scope_of(std::size_t tenant, core::Environment environment)
    {
        return core::Scope::of(
            static_cast<core::TenantId>(tenant), environment, "t" + std::to_string(tenant));
    }

    testing::SilentHosts hosts;
};

constexpr core::Environment environments[] = {core::Environment::production, core::Environment::sandbox};

} // namespace

TEST_CASE("a delivery arrives while 500 endpoints of other tenants hang")
{
    Crowd f(500);
    std::size_t host = 0;
    for (std::size_t tenant = 1; host < 500; ++tenant) {
        for (auto const environment : environments) {
            if (host >= 500) break;
            auto const scope = Crowd::scope_of(tenant, environment);
            f.subscribe(scope, host, 20);
            f.publish_from(scope);
            host += 20;
        }
    }
    REQUIRE(eventually([&] { return f.hosts.in_flight() == 500; }));

    f.scope = Crowd::scope_of(100, core::Environment::production);
    f.create(f.receiver.url("/hook"));
    auto const begin = std::chrono::steady_clock::now();
    f.publish();
    REQUIRE(eventually([&] { return f.receiver.received().size() == 1; }));
    auto const took = std::chrono::steady_clock::now() - begin;
    CHECK(f.hosts.in_flight() == 500); // no hanging request has ended
    std::printf("started after %lld ms beside 500 endpoints that hang\n",
        static_cast<long long>(std::chrono::duration_cast<std::chrono::milliseconds>(took).count()));
}

TEST_CASE("hanging endpoints of a tenant use only its share of the places, and the next tenant gets a place")
{
    Crowd f(160);
    for (std::size_t tenant = 1; tenant <= 4; ++tenant) {
        for (std::size_t e = 0; e < 2; ++e) {
            auto const scope = Crowd::scope_of(tenant, environments[e]);
            f.subscribe(scope, (tenant - 1) * 40 + e * 20, 20);
            f.publish_from(scope, 6); // both environments together have 240 deliveries
        }
    }
    // Each tenant takes a quarter of the places that are still free.
    REQUIRE(eventually([&] { return f.hosts.in_flight() >= 4 * (outbound_webhooks::max_held / 7); }));
    f.scope = Crowd::scope_of(5, core::Environment::production);
    f.create(f.receiver.url("/hook"));
    f.publish();
    REQUIRE(eventually([&] { return f.receiver.received().size() == 1; }));
    CHECK(f.hosts.arrived() == f.hosts.in_flight()); // no hanging request has ended
    CHECK(f.hosts.in_flight() < 4 * 240);
    for (std::size_t tenant = 0; tenant < 4; ++tenant) {
        std::size_t in_flight = 0;
        for (std::size_t host = 0; host < 40; ++host)
            in_flight += f.hosts.in_flight(tenant * 40 + host);
        CAPTURE(tenant);
        CHECK(in_flight <= outbound_webhooks::max_held / 4);
    }

    // A delivery that got no place gets a place later and is sent once.
    f.hosts.release();
    CHECK(eventually([&] { return f.count("webhook_deliveries WHERE status = 'pending'") == 0; }, 60s));
    CHECK(f.count("webhook_deliveries WHERE status = 'delivered' AND attempts = 1") == 4 * 2 * 20 * 6 + 1);
    CHECK(f.hosts.arrived() == 4 * 2 * 20 * 6);
}

TEST_CASE("a thousand deliveries can be in flight at the same time")
{
    Crowd f(200);
    for (std::size_t tenant = 1; tenant <= 10; ++tenant) {
        auto const scope = Crowd::scope_of(tenant, core::Environment::production);
        f.subscribe(scope, (tenant - 1) * 20, 20);
        f.publish_from(scope, 6);
    }
    REQUIRE(eventually([&] { return f.hosts.in_flight() >= 1000; }));
    CHECK(f.sender.load().in_flight >= 1000);
    f.hosts.release();
    CHECK(eventually([&] { return f.count("webhook_deliveries WHERE status = 'delivered'") == 1200; }, 60s));
    CHECK(f.hosts.arrived() == 1200);
}

TEST_CASE("at most ten deliveries are in flight to one host, over all tenants")
{
    Crowd f(1);
    for (std::size_t tenant = 1; tenant <= 4; ++tenant) {
        f.scope = Crowd::scope_of(tenant, core::Environment::production);
        f.create(f.hosts.url(0, "/of-tenant-" + std::to_string(tenant)));
        f.publish_from(f.scope, 25);
    }
    REQUIRE(eventually([&] { return f.hosts.in_flight(0) == 10; }));
    // The other deliveries wait in memory or are postponed, and none of them counts as attempted.
    REQUIRE(eventually([&] { return f.put_off > 0; }));
    CHECK(f.hosts.in_flight(0) == 10);
    CHECK(f.count("webhook_deliveries WHERE attempts > 0") == 0);
    f.hosts.release();
    // Postponed deliveries are due when the clock advances.
    REQUIRE(eventually([&] {
        f.clock.advance(100ms);
        return f.count("webhook_deliveries WHERE status = 'delivered'") == 100;
    }));
    CHECK(f.hosts.peak(0) == 10);
    CHECK(f.hosts.arrived() == 100);
    CHECK(f.count("webhook_deliveries WHERE attempts = 1") == 100);
    CHECK(f.count("jobs") == 0);
}

TEST_CASE("an outcome whose row is locked does not delay other outcomes and is written later")
{
    Crowd f(1);
    f.hosts.release();
    auto const blocked = Crowd::scope_of(1, core::Environment::production);
    f.scope = blocked;
    auto const hook = f.create(f.receiver.url("/blocked"));
    pqxx::connection other(f.postgres.superuser_url());
    std::optional<pqxx::work> lock(other);
    f.publish();
    REQUIRE(eventually([&] { return f.count("webhook_deliveries") == 1; }));
    lock->exec(
        "SELECT FROM webhook_deliveries WHERE scope_id = " + core::to_string(blocked.id) + " FOR UPDATE");

    for (std::size_t tenant = 2; tenant <= 5; ++tenant) {
        f.scope = Crowd::scope_of(tenant, core::Environment::production);
        f.create(f.hosts.url(0));
        f.publish_from(f.scope, 3);
    }
    CHECK(eventually([&] { return f.count("webhook_deliveries WHERE status = 'delivered'") >= 12; }));
    lock.reset();
    CHECK(eventually([&] { return f.count("webhook_deliveries WHERE status = 'delivered'") == 13; }));
    CHECK(f.receiver.received().size() == 1);
}

TEST_CASE("a delivery is not sent again if its outcome could not be written during an outage of the database")
{
    Crowd f(1);
    auto const hook = f.create(f.hosts.url(0));
    f.publish();
    REQUIRE(eventually([&] { return f.hosts.in_flight() == 1; }));
    f.postgres.stop();
    f.hosts.release();
    REQUIRE(eventually([&] { return f.hosts.in_flight() == 0; }));
    f.postgres.start();
    REQUIRE(eventually([&] { return f.ended == 1; }));
    CHECK(f.delivery(hook.id).at("status") == "delivered");
    CHECK(f.delivery(hook.id).at("attempts") == 1);
    CHECK(f.hosts.arrived() == 1);
    CHECK(f.count("jobs") == 0);
}

// Run it manually: test_outbound_webhooks "[rate]".
TEST_CASE("rate of deliveries", "[.][rate]")
{
    constexpr std::size_t tenants = 20, hooks = 20, rounds = 25;
    Crowd f(tenants * hooks);
    f.hosts.release();
    for (std::size_t tenant = 1; tenant <= tenants; ++tenant) {
        auto const scope = Crowd::scope_of(tenant, core::Environment::production);
        f.subscribe(scope, (tenant - 1) * hooks, hooks);
        f.publish_from(scope, rounds);
    }
    auto const left = [&] { return f.count("webhook_deliveries WHERE status = 'pending'"); };
    auto const before = left();
    auto const cpu = std::clock();
    auto const begin = std::chrono::steady_clock::now();
    REQUIRE(eventually([&] { return left() == 0; }, 120s));
    std::chrono::duration<double> const took = std::chrono::steady_clock::now() - begin;
    auto const cpu_seconds = static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC;
    std::printf("%d deliveries in %.2f s: %.0f/s, %.0f us of CPU each with their receivers\n", before,
        took.count(), before / took.count(), cpu_seconds * 1e6 / before);
}
