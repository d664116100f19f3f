#include "delivery.hpp"

#include "outbound_webhooks/policy.hpp"

#include <set>

using namespace webhooks_test;

TEST_CASE("an event is delivered with a signature")
{
    Delivery f;
    f.answer_with(reply(200, "thanks"));
    auto const hook = f.subscribe();
    f.publish("item.created", R"({"title":"Grüße"})");
    f.attempts(1);

    auto const requests = f.receiver.received();
    REQUIRE(requests.size() == 1);
    auto const& r = requests[0];
    CHECK(r.method == "POST");
    CHECK(r.target == "/hook");
    CHECK(r.headers.at("content-type") == "application/json");
    CHECK(r.body ==
          R"({"type":"item.created","timestamp":"2026-01-01T00:00:00.000Z","data":{"title":"Grüße"}})");
    CHECK(r.headers.at("webhook-timestamp") == "1767225600");
    CHECK(is_signed(r, hook.secret));
    CHECK_FALSE(is_signed(r, hook.secret, 1));

    auto const d = f.delivery(hook.id);
    CHECK(d.at("deliveryId") == json::value(r.headers.at("webhook-id")));
    CHECK(d.at("status") == "delivered");
    CHECK(d.at("attempts") == 1);
    CHECK(d.at("lastStatus") == 200);
    CHECK(d.at("lastError").is_null());
    CHECK(d.at("responseExcerpt") == "thanks");
    CHECK(d.at("nextAttemptAt").is_null());
    CHECK(d.at("deliveredAt") == "2026-01-01T00:00:00.000Z");
    CHECK(f.count("jobs") == 0);
}

TEST_CASE("every attempt contains the trace of the request that caused the delivery")
{
    Delivery f;
    f.subscribe();
    f.publish();
    f.attempts(1);
    CHECK_FALSE(f.receiver.received()[0].headers.contains("traceparent"));

    f.traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    f.answer_with(reply(500));
    f.publish();
    f.attempts(2);
    f.clock.advance(5s);
    f.attempts(3);
    CHECK(f.receiver.received()[1].headers.at("traceparent") == f.traceparent);
    CHECK(f.receiver.received()[2].headers.at("traceparent") == f.traceparent);
}

TEST_CASE("the status of each response is reported, and also that a response is missing")
{
    Delivery f;
    f.subscribe();
    f.publish();
    f.attempts(1);
    f.answer_with(reply(503));
    f.publish();
    f.attempts(2);
    f.answer_with(""); // the receiver closes the connection
    f.publish();
    f.attempts(3);
    std::lock_guard const lock(f.mutex);
    CHECK(f.statuses == std::vector<unsigned>{204, 503, 0});
}

TEST_CASE("a redirect is a failure and is not followed")
{
    Delivery f;
    f.answer_with(reply(302, "", "Location: " + f.receiver.url("/elsewhere") + "\r\n"));
    auto const hook = f.subscribe();
    f.publish();
    f.attempts(1);
    CHECK(f.delivery(hook.id).at("status") == "pending");
    CHECK(f.delivery(hook.id).at("lastStatus") == 302);
    REQUIRE(f.receiver.received().size() == 1);
    CHECK(f.receiver.received()[0].target == "/hook");
}

TEST_CASE("addresses are checked at every delivery, including names of local addresses")
{
    // The webhook exists, because another policy was in force or the name had another address. The delivery
    // is refused.
    Delivery f(false);
    auto const port = std::to_string(f.receiver.port());
    std::set<std::string> ids;
    for (auto const* host : {"localhost", "127.0.0.1", "[::ffff:127.0.0.1]"}) {
        ids.insert(f.create("http://" + std::string(host) + ':' + port + '/').id);
    }
    f.publish();
    f.attempts(3);
    for (auto const& id : ids) {
        CHECK(f.delivery(id).at("status") == "pending");
        CHECK(f.delivery(id).at("lastStatus").is_null());
        CHECK(f.delivery(id).at("lastError") == "the host's address is not allowed");
    }
    CHECK(f.receiver.connections() == 0);
}

TEST_CASE("an unreachable endpoint is reported without details of the internal network")
{
    Delivery f;
    auto const unreachable = f.create("http://127.0.0.1:1/").id;
    auto const nameless = f.create("http://no-such-host.invalid/").id;
    f.publish();
    f.attempts(2);
    CHECK(f.delivery(unreachable).at("lastError") == "no connection could be made");
    CHECK(f.delivery(nameless).at("lastError") == "the host name could not be resolved");
}

TEST_CASE("one kilobyte of the response is kept as text")
{
    Delivery f;
    f.answer_with(reply(500, "a" + std::string(600, '\xc3') + std::string(100'000, 'x')));
    auto const broken = f.subscribe().id;
    f.publish();
    f.attempts(1);
    CHECK(f.delivery(broken).at("responseExcerpt") ==
          json::value("a" + std::string(600, '?') + std::string(423, 'x')));

    std::string umlauts;
    for (int i = 0; i < 1000; ++i)
        umlauts += "ü";
    f.answer_with(reply(500, "a" + umlauts));
    f.clock.advance(5s);
    f.attempts(2);
    CHECK(f.delivery(broken).at("responseExcerpt") == json::value("a" + umlauts.substr(0, 1022)));

    f.answer_with(reply(500, std::string("a\0b", 3)));
    f.clock.advance(10s);
    f.attempts(3);
    CHECK(f.delivery(broken).at("responseExcerpt") == "a?b");
}

TEST_CASE("a delivery is sent again on request, with the same id")
{
    Delivery f;
    auto const hook = f.subscribe();
    f.publish();
    f.attempts(1);
    auto const id = std::string(f.delivery(hook.id).at("deliveryId").as_string());
    auto const again = [&] {
        return f.call(outbound_webhooks::redeliver, {}, {{"webhookId", hook.id}, {"deliveryId", id}});
    };
    auto const response = again();
    CHECK(response.status == 202);
    CHECK(json::parse(response.body).at("status") == "pending");
    f.worker.wake();
    f.attempts(2);
    CHECK(f.delivery(hook.id).at("status") == "delivered");
    CHECK(f.delivery(hook.id).at("attempts") == 2);
    auto const requests = f.receiver.received();
    REQUIRE(requests.size() == 2);
    CHECK(requests[0].headers.at("webhook-id") == requests[1].headers.at("webhook-id"));
    CHECK(f.count("audit_log WHERE action = 'webhook.redelivered'") == 1);

    // A failed delivery is tried for another 3 days. A pending delivery is sent at once.
    f.answer_with(reply(500));
    f.clock.advance(24h * 10);
    again();
    f.attempts(3);
    CHECK(f.delivery(hook.id).at("status") == "pending");
    again();
    f.attempts(4);
    CHECK(f.count("jobs") == 1);

    auto const missing = f.error_of(outbound_webhooks::redeliver, {},
        {{"webhookId", hook.id}, {"deliveryId", core::Uuid::v7().to_string()}});
    CHECK(missing.code().name == "NOT_FOUND");
    f.call(outbound_webhooks::update_webhook, R"({"enabled":false})", {{"webhookId", hook.id}});
    CHECK(f.error_of(outbound_webhooks::redeliver, {}, {{"webhookId", hook.id}, {"deliveryId", id}})
              .code()
              .name == "CONFLICT");
}

TEST_CASE("for a day after a rotation, deliveries are signed with the old and the new secret")
{
    Delivery f;
    auto const hook = f.subscribe();
    auto const rotated =
        json::parse(f.call(outbound_webhooks::rotate_webhook_secret, {}, {{"webhookId", hook.id}}).body)
            .as_object();
    auto const fresh = std::string(rotated.at("secret").as_string());
    CHECK(fresh != hook.secret);
    f.publish();
    f.attempts(1);
    CHECK(is_signed(f.receiver.received().back(), fresh, 0));
    CHECK(is_signed(f.receiver.received().back(), hook.secret, 1));
    f.clock.advance(outbound_webhooks::rotation_overlap);
    f.publish();
    f.attempts(2);
    CHECK(is_signed(f.receiver.received().back(), fresh, 0));
    CHECK_FALSE(is_signed(f.receiver.received().back(), hook.secret, 1));
}
