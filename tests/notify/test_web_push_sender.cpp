#include "web_push_fixture.hpp"

#include <set>

using namespace web_push_test;

TEST_CASE("a scope has at most 64 requests to one push service in flight", "[web_push]")
{
    Fixture f;
    f.server.delay(200ms);
    auto bulk = f.batch(f.devices(200, "device"));
    bulk.batch->bulk = true;
    f.push->send(std::move(bulk.batch));
    // Bulk pushes leave requests free for a push of a single notification.
    CHECK(name_of(f.send_one("urgent")) == "accepted");
    CHECK(f.server.seen().size() < 200);
    for (auto const& result : bulk.results.get())
        CHECK(name_of(result) == "accepted");
    CHECK(f.server.most_at_once() > 8);
    CHECK(f.server.most_at_once() <= 64);
    std::set<std::string> names;
    for (auto const& push : f.server.seen())
        names.insert(text(push, "name"));
    CHECK(names.size() == 201);
}

TEST_CASE("devices without a usable subscription do not delay other devices", "[web_push]")
{
    Fixture f;
    auto foreign = f.device("foreign"), unknown = f.device("unknown"), unreadable = f.device("unreadable");
    auto changed = std::make_shared<WebSubscription>(*foreign.web);
    changed->endpoint = "https://elsewhere.example.com/push";
    foreign.web = changed;
    changed = std::make_shared<WebSubscription>(*unknown.web);
    changed->vapid_key = "another key";
    unknown.web = changed;
    unreadable.web = nullptr;
    auto const results = f.send({foreign, unknown, unreadable, f.device("ok")});
    CHECK(name_of(results[0]) == "refused HOST_NOT_ALLOWED");
    CHECK(name_of(results[1]) == "refused VAPID_KEY_MISSING");
    CHECK(name_of(results[2]) == "transient SUBSCRIPTION_UNREADABLE");
    CHECK(results[2].untried());
    CHECK(name_of(results[3]) == "accepted");
    CHECK(f.server.seen().size() == 1);
}

TEST_CASE("a message that is too large for Web Push is not sent", "[web_push]")
{
    Fixture f;
    Handed handed(
        f.demo.credential, f.message(f.demo, std::string(max_web_push_bytes, 'x')), {f.device("one")});
    f.push->send(std::move(handed.batch));
    CHECK(name_of(handed.results.get().front()) == "refused PAYLOAD_TOO_LARGE");
    CHECK(f.server.seen().empty());
}

TEST_CASE("a push service that does not respond opens its breaker, and a probe closes it", "[web_push]")
{
    Fixture f(300ms);
    for (int i = 0; i < 5; ++i)
        CHECK(name_of(f.send_one("hang")) == "transient TIMEOUT");
    auto const waiting = f.send_one("ok");
    CHECK(name_of(waiting) == "transient CARRIER_DOWN");
    CHECK(waiting.untried());
    CHECK(waiting.retry_after.has_value());
    auto const open = f.push->open_breakers();
    REQUIRE(open.size() == 1);
    CHECK(open[0].carrier == Carrier::webpush);
    CHECK(open[0].origin == "https://127.0.0.1:" + std::to_string(f.server.port()));
    CHECK(eventually([&] { return f.send_one("ok").verdict == Verdict::accepted; }));
    CHECK(f.push->open_breakers().empty());
}

TEST_CASE("a push service that does not respond delays no push to another push service", "[web_push]")
{
    Fixture f(1h);
    bool const is_bulk = GENERATE(false, true);
    auto hanging = f.batch(f.devices(100, "hang"));
    hanging.batch->bulk = is_bulk;
    f.push->send(std::move(hanging.batch));
    REQUIRE(eventually([&] { return f.server.seen().size() >= (is_bulk ? 48 : 64); }));
    auto sent = f.batch({Fixture::device_of(f.demo, f.other, "ok")});
    sent.batch->bulk = is_bulk;
    f.push->send(std::move(sent.batch));
    CHECK(name_of(sent.results.get().front()) == "accepted");
    // No answer has come from the first service, and the pushes beyond its limit still wait.
    CHECK(hanging.results.wait_for(0s) == std::future_status::timeout);
    CHECK(f.server.seen().size() < 100);
    f.push.reset();
}

TEST_CASE("a push that waits for a place is not sent after its deadline", "[web_push]")
{
    Fixture f(1h);
    auto hanging = f.batch(f.devices(64, "hang"));
    f.push->send(std::move(hanging.batch));
    REQUIRE(eventually([&] { return f.server.seen().size() == 64; }));
    auto late = f.batch({f.device("late")}, 1ms);
    f.push->send(std::move(late.batch));
    auto const result = late.results.get().front();
    CHECK(name_of(result) == "transient NOT_SENT_IN_TIME");
    CHECK(result.untried());
    CHECK(f.server.seen("late").empty());
    f.push.reset();
}

TEST_CASE(
    "a push that waits for a place is not sent when the breaker of its push service has opened", "[web_push]")
{
    Fixture f(3s);
    auto const results = f.send(f.devices(100, "hang"));
    auto const is_down = [](PushResult const& result) {
        return name_of(result) == "transient CARRIER_DOWN" && result.untried();
    };
    CHECK(std::ranges::count_if(results, is_down) > 20);
    CHECK(f.server.seen().size() < 80);
}

TEST_CASE("a stop request ends a push that waits for a place", "[web_push]")
{
    Fixture f(1h);
    auto hanging = f.batch(f.devices(64, "hang"));
    f.push->send(std::move(hanging.batch));
    REQUIRE(eventually([&] { return f.server.seen().size() == 64; }));
    std::stop_source stop;
    auto waiting = f.batch({f.device("waiting")});
    waiting.batch->stop = stop.get_token();
    f.push->send(std::move(waiting.batch));
    stop.request_stop();
    auto const result = waiting.results.get().front();
    CHECK(name_of(result) == "transient STOPPED");
    CHECK_FALSE(result.handed_out);
    CHECK(hanging.results.wait_for(0s) == std::future_status::timeout);
    CHECK(f.push->stats().queued == 64);
    f.push.reset();
    CHECK(name_of(hanging.results.get().front()) == "transient STOPPED");
}

TEST_CASE(
    "pushes to one push service go on while another one is down, and do not close its breaker", "[web_push]")
{
    Fixture f;
    f.server.answer_all(500);
    for (int i = 0; i < 5; ++i)
        CHECK(name_of(f.send_one("one")) == "transient HTTP_500");
    CHECK(name_of(f.send_to_other("ok")) == "accepted");
    auto const open = f.push->open_breakers();
    REQUIRE(open.size() == 1);
    CHECK(open[0].origin == "https://" + f.server.host());

    // Failures of the other service count for it alone.
    f.other.answer_all(500);
    for (int i = 0; i < 4; ++i)
        CHECK(name_of(f.send_to_other("ok")) == "transient HTTP_500");
    CHECK(f.push->open_breakers().size() == 1);
    CHECK(name_of(f.send_to_other("ok")) == "transient HTTP_500");
    CHECK(f.push->open_breakers().size() == 2);

    f.server.answer_all(201);
    CHECK(eventually([&] { return f.send_one("one").verdict == Verdict::accepted; }));
    auto const still_open = f.push->open_breakers();
    REQUIRE(still_open.size() == 1);
    CHECK(still_open[0].origin == "https://" + f.other.host());
}

TEST_CASE("after a stop request, a push in flight is not awaited for long", "[web_push]")
{
    Fixture f;
    std::stop_source stop;
    auto handed = f.batch({f.device("hang")});
    handed.batch->stop = stop.get_token();
    f.push->send(std::move(handed.batch));
    REQUIRE(eventually([&] { return f.server.seen().size() == 1; }));
    stop.request_stop();
    auto const result = handed.results.get().front();
    CHECK(name_of(result) == "transient STOPPED");
    CHECK_FALSE(result.counts());
}

TEST_CASE("the end of PushSender ends the requests in flight", "[web_push]")
{
    Fixture f;
    auto handed = f.batch({f.device("hang")});
    f.push->send(std::move(handed.batch));
    REQUIRE(eventually([&] { return f.server.seen().size() == 1; }));
    f.push.reset();
    CHECK(name_of(handed.results.get().front()) == "transient STOPPED");
}

TEST_CASE("an erased device gets no web push", "[web_push]")
{
    Fixture f;
    f.push->drop_devices({7});
    CHECK(name_of(f.send({f.device("one", 7)}).front()) == "refused DEVICE_REMOVED");
    CHECK(f.server.seen().empty());
}

TEST_CASE("a device that is erased while its push waits for a place gets no web push", "[web_push]")
{
    Fixture f;
    f.server.delay(2s);
    auto devices = f.devices(64, "device");
    devices.push_back(f.device("erased", 1'000));
    auto handed = f.batch(std::move(devices));
    f.push->send(std::move(handed.batch));
    f.push->drop_devices({1'000});
    CHECK(name_of(handed.results.get().back()) == "refused DEVICE_REMOVED");
    CHECK(f.server.seen("erased").empty());
}
