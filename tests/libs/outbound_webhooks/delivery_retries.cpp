// Retries and final results of deliveries that do not succeed at the first attempt.
#include "delivery.hpp"
#include "outbound_webhooks/policy.hpp"

using namespace webhooks_test;
using testing::eventually;

TEST_CASE("a failed attempt is repeated later, with the same id and bytes and a new timestamp")
{
    Delivery f;
    f.answer_with(reply(500, "oops"));
    auto const hook = f.subscribe();
    f.publish();
    f.attempts(1);
    auto d = f.delivery(hook.id);
    CHECK(d.at("status") == "pending");
    CHECK(d.at("attempts") == 1);
    CHECK(d.at("lastStatus") == 500);
    CHECK(d.at("lastError") == "the endpoint answered 500");
    CHECK(d.at("responseExcerpt") == "oops");
    auto const next = core::parse_rfc3339(std::string(d.at("nextAttemptAt").as_string())).value();
    CHECK(next >= f.clock.now() + 2500ms - 1ms);
    CHECK(next <= f.clock.now() + 5s);

    f.answer_with(reply(204));
    f.clock.advance(5s);
    f.attempts(2);
    d = f.delivery(hook.id);
    CHECK(d.at("status") == "delivered");
    CHECK(d.at("attempts") == 2);
    CHECK(d.at("lastError").is_null());
    auto const requests = f.receiver.received();
    REQUIRE(requests.size() == 2);
    CHECK(requests[0].headers.at("webhook-id") == requests[1].headers.at("webhook-id"));
    CHECK(requests[0].body == requests[1].body);
    CHECK(requests[1].headers.at("webhook-timestamp") == "1767225605");
    CHECK(is_signed(requests[1], hook.secret));
}

TEST_CASE("after 3 days of failures the delivery has failed and the webhook is disabled")
{
    Delivery f;
    f.answer_with(reply(503));
    auto const hook = f.subscribe();
    f.publish();
    int attempts = 1;
    f.attempts(attempts);
    core::Time const published = f.clock.now();
    while (f.delivery(hook.id).at("status") == "pending") {
        f.clock.set(
            core::parse_rfc3339(std::string(f.delivery(hook.id).at("nextAttemptAt").as_string())).value() +
            1ms);
        f.attempts(++attempts);
        REQUIRE(attempts < 60);
    }
    CHECK(f.clock.now() - published >= outbound_webhooks::retry_window);
    CHECK(f.clock.now() - published < outbound_webhooks::retry_window + 1min);
    CHECK(attempts > 15);
    CHECK(f.delivery(hook.id).at("status") == "failed");
    CHECK(f.delivery(hook.id).at("attempts") == attempts);
    CHECK(f.get(hook.id).at("enabled") == false);
    CHECK(f.get(hook.id).at("disabledReason") == "a delivery failed for 3 days");
    CHECK(f.get(hook.id).at("version") == 2);
    CHECK(f.count("jobs") == 0);
    CHECK(f.publish() == 0);
}

TEST_CASE("one event that fails for 3 days does not disable a webhook that accepts other events")
{
    Delivery f;
    f.answer_for("item.created", reply(500));
    auto const hook = f.subscribe();
    f.publish("item.created");
    f.attempts(1);
    f.clock.advance(outbound_webhooks::retry_window / 2);
    f.publish("item.updated");
    f.attempts(3);
    REQUIRE(f.count("webhook_deliveries WHERE status = 'delivered'") == 1);
    f.clock.advance(outbound_webhooks::retry_window / 2);
    f.attempts(4);
    CHECK(f.count("webhook_deliveries WHERE status = 'failed' AND event_type = 'item.created'") == 1);
    CHECK(f.get(hook.id).at("enabled") == true);
    CHECK(f.get(hook.id).at("disabledReason").is_null());

    // The next event fails for 3 days while the endpoint accepts no other event. So the webhook is disabled.
    f.answer_with(reply(500));
    f.publish("item.deleted");
    f.attempts(5);
    f.clock.advance(outbound_webhooks::retry_window + 2h);
    f.attempts(6);
    CHECK(f.get(hook.id).at("enabled") == false);
    CHECK(f.get(hook.id).at("disabledReason") == "a delivery failed for 3 days");
}

TEST_CASE("deliveries of a suspended tenant wait until the tenant is active, and their window is extended")
{
    Delivery f;
    f.scope = f.tenant("demo");
    auto const hook = f.subscribe();
    f.suspend("demo", true);
    f.publish();
    f.attempts(1);
    CHECK(f.delivery(hook.id).at("status") == "pending");
    CHECK(f.delivery(hook.id).at("attempts") == 0);
    CHECK(f.delivery(hook.id).at("nextAttemptAt") == "2026-01-01T00:05:00.000Z");
    f.clock.advance(outbound_webhooks::retry_window * 2);
    f.attempts(2);
    CHECK(f.receiver.received().empty());
    CHECK(f.count("jobs WHERE attempts = 0") == 1);

    f.suspend("demo", false);
    f.answer_with(reply(500));
    f.clock.advance(outbound_webhooks::suspended_pause);
    f.attempts(3);
    CHECK(f.receiver.received().size() == 1);
    CHECK(f.delivery(hook.id).at("status") == "pending"); // the delivery has another 3 days
    CHECK(f.get(hook.id).at("enabled") == true);
    f.answer_with(reply(204));
    f.clock.advance(5s);
    f.attempts(4);
    CHECK(f.delivery(hook.id).at("status") == "delivered");
}

TEST_CASE(
    "an attempt that hangs when the process stops is aborted, not counted, and repeated by another process")
{
    Delivery f;
    testing::HeldReceiver silent;
    auto const hook = f.create(silent.receiver.url());
    f.publish();
    REQUIRE(eventually([&] { return silent.gate.arrived() == 1; }));
    f.worker.stop();
    CHECK(f.delivery(hook.id).at("status") == "pending");
    CHECK(f.delivery(hook.id).at("attempts") == 0);
    CHECK(f.count("jobs WHERE attempts = 0 AND lease_owner IS NULL AND run_at <= '2026-01-01Z'") == 1);
}

TEST_CASE("410 disables the webhook at once, and its other pending deliveries fail without being sent")
{
    Delivery f;
    f.answer_with(reply(500));
    auto const hook = f.subscribe();
    f.publish();
    f.attempts(1);
    f.answer_with(reply(410));
    f.publish();
    f.attempts(2);
    CHECK(f.get(hook.id).at("enabled") == false);
    CHECK(f.get(hook.id).at("disabledReason") == "the endpoint answered 410 Gone");
    f.clock.advance(5s);
    f.attempts(3);
    CHECK(f.receiver.received().size() == 2);
    CHECK(f.deliveries(hook.id, "status=failed").size() == 2);
    CHECK(f.count("jobs") == 0);
}

TEST_CASE("Retry-After is obeyed")
{
    Delivery f;
    f.answer_with(reply(429, "", "Retry-After: 3600\r\n"));
    auto const hook = f.subscribe();
    f.publish();
    f.attempts(1);
    CHECK(f.delivery(hook.id).at("nextAttemptAt") == "2026-01-01T01:00:00.000Z");
    f.answer_with(reply(204));
    f.clock.advance(1h);
    f.attempts(2);
    CHECK(f.delivery(hook.id).at("status") == "delivered");
}

TEST_CASE("deliveries of a deleted webhook are dropped")
{
    Delivery f;
    f.answer_with(reply(500));
    auto const hook = f.subscribe();
    f.publish();
    f.attempts(1);
    // Simulates a publication that ran concurrently with the deletion.
    f.postgres.query("DELETE FROM webhooks");
    f.clock.advance(5s);
    f.attempts(2);
    CHECK(f.receiver.received().size() == 1);
    CHECK(f.count("webhook_deliveries") == 0);
    CHECK(f.count("jobs") == 0);
}
