// Attempts that end by their time-out.
#include "delivery.hpp"
#include "silent_hosts.hpp"

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
