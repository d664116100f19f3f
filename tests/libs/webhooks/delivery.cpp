#include "crypto/encoding.hpp"
#include "crypto/hmac.hpp"
#include "fixture.hpp"
#include "http/client.hpp"
#include "jobs/worker.hpp"
#include "receiver.hpp"
#include "webhooks/policy.hpp"
#include "webhooks/sender.hpp"

#include <atomic>
#include <mutex>
#include <semaphore>
#include <set>
#include <sstream>

using namespace webhooks_test;
using testing::eventually;
using testing::Received;
using testing::Receiver;
using testing::reply;

namespace {

/// A fixture that delivers to a receiver whose answer the test sets.
struct Delivery : Fixture {
    explicit Delivery(bool sender_allows_private = true)
        : client({.addresses = http::AddressPolicy(sender_allows_private)})
    {
    }

    std::mutex mutex;
    std::string answer = reply(204);
    Receiver receiver{[this](Received const&) {
        std::lock_guard const lock(mutex);
        return answer;
    }};
    http::Client client;
    webhooks::Sender sender{database, clock, keyring, client};
    std::atomic<int> ended = 0;
    jobs::Worker worker{database, clock, {.queue = webhooks::queue, .threads = 2, .poll = 10ms},
        std::ref(sender), {.finished = [this](jobs::Outcome::Kind, auto) { ++ended; }}};

    void answer_with(std::string bytes)
    {
        std::lock_guard const lock(mutex);
        answer = std::move(bytes);
    }

    Created subscribe() { return create(receiver.url("/hook")); }

    /// The only delivery there is.
    json::object delivery(std::string const& webhook_id) { return deliveries(webhook_id).at(0).as_object(); }

    /// Waits until that many attempts were written down.
    void attempts(int number)
    {
        REQUIRE(eventually([&] { return ended == number; }));
    }
};

/// Whether a request is signed with the secret, worked out anew from the specification; `position` among the
/// signatures.
bool is_signed(Received const& request, std::string const& secret, std::size_t position = 0)
{
    std::istringstream list(request.headers.at("webhook-signature"));
    std::string signature;
    for (std::size_t i = 0; i <= position; ++i) {
        if (!(list >> signature)) return false;
    }
    std::string const content =
        request.headers.at("webhook-id") + '.' + request.headers.at("webhook-timestamp") + '.' + request.body;
    auto const key = crypto::base64::decode(secret.substr(6));
    return signature ==
           "v1," + crypto::base64::encode(crypto::view(crypto::hmac_sha256(key.value(), content)));
}

} // namespace

TEST_CASE("an event is delivered, signed")
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
    CHECK(f.clock.now() - published >= webhooks::retry_window);
    CHECK(f.clock.now() - published < webhooks::retry_window + 1min);
    CHECK(attempts > 15);
    CHECK(f.delivery(hook.id).at("status") == "failed");
    CHECK(f.delivery(hook.id).at("attempts") == attempts);
    CHECK(f.get(hook.id).at("enabled") == false);
    CHECK(f.get(hook.id).at("disabledReason") == "a delivery failed for 3 days");
    CHECK(f.get(hook.id).at("version") == 2);
    CHECK(f.count("jobs") == 0);
    CHECK(f.publish() == 0);
}

TEST_CASE("one delivery that failed for 3 days disables the webhook, whatever else it accepted")
{
    Delivery f;
    f.answer_with(reply(500));
    auto const hook = f.subscribe();
    f.publish();
    f.attempts(1);
    f.answer_with(reply(204));
    f.publish("item.updated");
    f.attempts(2);
    REQUIRE(f.count("webhook_deliveries WHERE status = 'delivered'") == 1);
    f.answer_with(reply(500));
    f.clock.advance(webhooks::retry_window);
    f.attempts(3);
    CHECK(f.count("webhook_deliveries WHERE status = 'failed'") == 1);
    CHECK(f.get(hook.id).at("enabled") == false);
    CHECK(f.get(hook.id).at("disabledReason") == "a delivery failed for 3 days");
}

TEST_CASE("deliveries carry the trace of the request that caused them, in every attempt")
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

TEST_CASE("deliveries of a suspended tenant wait until it is active, and their window with them")
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
    f.clock.advance(webhooks::retry_window * 2);
    f.attempts(2);
    CHECK(f.receiver.received().empty());
    CHECK(f.count("jobs WHERE attempts = 0") == 1);

    f.suspend("demo", false);
    f.answer_with(reply(500));
    f.clock.advance(webhooks::suspended_pause);
    f.attempts(3);
    CHECK(f.receiver.received().size() == 1);
    CHECK(f.delivery(hook.id).at("status") == "pending"); // it has another 3 days
    CHECK(f.get(hook.id).at("enabled") == true);
    f.answer_with(reply(204));
    f.clock.advance(5s);
    f.attempts(4);
    CHECK(f.delivery(hook.id).at("status") == "delivered");
}

TEST_CASE("an attempt that hangs when the process stops is cut off and left to another, uncounted")
{
    Delivery f;
    std::binary_semaphore hang(0);
    Receiver silent([&](Received const&) {
        static_cast<void>(hang.try_acquire_for(30s));
        return reply(204);
    });
    auto const hook = f.create(silent.url());
    f.publish();
    REQUIRE(eventually([&] { return silent.received().size() == 1; }));
    auto const begin = std::chrono::steady_clock::now();
    f.worker.stop();
    CHECK(std::chrono::steady_clock::now() - begin < webhooks::farewell + 3s);
    CHECK(f.delivery(hook.id).at("status") == "pending");
    CHECK(f.delivery(hook.id).at("attempts") == 0);
    CHECK(f.count("jobs WHERE attempts = 0 AND lease_owner IS NULL AND run_at <= '2026-01-01Z'") == 1);
    hang.release();
}

TEST_CASE("410 disables the webhook at once; what else was pending for it fails unsent")
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

TEST_CASE("addresses are checked at every delivery, names that lead home too")
{
    // The webhook could be made (another policy was in force, or the name pointed elsewhere); delivery
    // refuses.
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

TEST_CASE("an endpoint that is not there is told apart without telling about our network")
{
    Delivery f;
    auto const nobody = f.create("http://127.0.0.1:1/").id;
    auto const nameless = f.create("http://no-such-host.invalid/").id;
    f.publish();
    f.attempts(2);
    CHECK(f.delivery(nobody).at("lastError") == "no connection could be made");
    CHECK(f.delivery(nameless).at("lastError") == "the host name could not be resolved");
}

TEST_CASE("of the answer a kilobyte is kept, as text")
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

TEST_CASE("a delivery is sent again on request, under the same id")
{
    Delivery f;
    auto const hook = f.subscribe();
    f.publish();
    f.attempts(1);
    auto const id = std::string(f.delivery(hook.id).at("deliveryId").as_string());
    auto const again = [&] {
        return f.call(webhooks::redeliver, {}, {{"webhookId", hook.id}, {"deliveryId", id}});
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

    // A failed one gets another 3 days; one that waits is sent at once.
    f.answer_with(reply(500));
    f.clock.advance(24h * 10);
    again();
    f.attempts(3);
    CHECK(f.delivery(hook.id).at("status") == "pending");
    again();
    f.attempts(4);
    CHECK(f.count("jobs") == 1);

    auto const missing = f.error_of(
        webhooks::redeliver, {}, {{"webhookId", hook.id}, {"deliveryId", core::Uuid::v7().to_string()}});
    CHECK(missing.code().name == "NOT_FOUND");
    f.call(webhooks::update_webhook, R"({"enabled":false})", {{"webhookId", hook.id}});
    CHECK(f.error_of(webhooks::redeliver, {}, {{"webhookId", hook.id}, {"deliveryId", id}}).code().name ==
          "CONFLICT");
}

TEST_CASE("a rotated secret signs beside the new one for a day")
{
    Delivery f;
    auto const hook = f.subscribe();
    auto const rotated =
        json::parse(f.call(webhooks::rotate_webhook_secret, {}, {{"webhookId", hook.id}}).body).as_object();
    auto const fresh = std::string(rotated.at("secret").as_string());
    CHECK(fresh != hook.secret);
    f.publish();
    f.attempts(1);
    CHECK(is_signed(f.receiver.received().back(), fresh, 0));
    CHECK(is_signed(f.receiver.received().back(), hook.secret, 1));
    f.clock.advance(webhooks::rotation_overlap);
    f.publish();
    f.attempts(2);
    CHECK(is_signed(f.receiver.received().back(), fresh, 0));
    CHECK_FALSE(is_signed(f.receiver.received().back(), hook.secret, 1));
}

TEST_CASE("what waited for a webhook that was deleted is forgotten")
{
    Delivery f;
    f.answer_with(reply(500));
    auto const hook = f.subscribe();
    f.publish();
    f.attempts(1);
    // As left behind by a publication that ran beside the deletion.
    f.postgres.query("DELETE FROM webhooks");
    f.clock.advance(5s);
    f.attempts(2);
    CHECK(f.receiver.received().size() == 1);
    CHECK(f.count("webhook_deliveries") == 0);
    CHECK(f.count("jobs") == 0);
}
