// Attempts that end by their time-out.
#include "delivery.hpp"
#include "silent_hosts.hpp"
#include "testing_events.hpp"

using namespace webhooks_test;
using testing::eventually;

TEST_CASE("retries to an endpoint that timed out use the slow places until the endpoint responds")
{
    testing::SilentHosts hosts(2);
    Delivery f(true, 3s);
    auto const hung = f.create(hosts.url(0));
    f.publish();
    REQUIRE(eventually([&] { return hosts.in_flight(0) == 1; }));
    CHECK(f.sender.load().slow == 0);
    f.attempts(1);
    CHECK(f.delivery(hung.id).at("lastError") == "no answer in time");
    CHECK(f.delivery(hung.id).at("status") == "pending");

    f.clock.advance(5s);
    REQUIRE(eventually([&] { return hosts.in_flight(0) == 1; }));
    CHECK(f.sender.load().slow == 1);
    f.create(hosts.url(1), R"(,"events":["item.updated"])");
    f.publish("item.updated");
    REQUIRE(eventually([&] { return hosts.in_flight(1) == 1; }));
    CHECK(f.sender.load().slow == 2); // including the event for the first endpoint
    hosts.release();
    REQUIRE(eventually([&] { return f.ended == 4; }));
    f.publish();
    f.attempts(5);
    CHECK(f.sender.load().slow == 0);
}

TEST_CASE("a test of an endpoint that does not respond ends by its time limit")
{
    testing::SilentHosts const hosts(1);
    Tests f(true, 1s);
    auto const id = f.create(hosts.url(0)).id;
    auto const result = f.test(id);
    CHECK(result.at("status") == "failed");
    CHECK(result.at("responseCode").is_null());
    CHECK(result.at("error") == "no answer in time");
    CHECK(result.at("durationMs").as_int64() >= 900);
    CHECK(f.statuses == std::vector<unsigned>{0});
}

TEST_CASE(
    "a test that runs when the process stops is aborted after the grace period, and its caller gets 503")
{
    testing::SilentHosts const hosts(1);
    Tests f(true, 60s);
    auto const id = f.create(hosts.url(0)).id;
    auto const request = f.request_for(id);
    auto running = f.start(request);
    REQUIRE(eventually([&] { return hosts.in_flight(0) == 1; }));
    f.sender.request_stop();
    try {
        running.get();
        FAIL("the test was not aborted");
    } catch (core::Error const& error) {
        CHECK(error.code().name == "UNAVAILABLE");
    }
    CHECK(f.sender.in_flight() == 0);
    CHECK(f.statuses.empty());
    CHECK(f.count("audit_log WHERE action = 'webhook.tested'") == 1);
}
