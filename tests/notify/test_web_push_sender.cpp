#include "crypto/encoding.hpp"
#include "push_fixture.hpp"
#include "web_push_server.hpp"

#include <set>

using push_test::Handed, push_test::name_of;
using namespace notify;

namespace {

/// PushSender with a push service for Web Push.
struct Fixture {
    explicit Fixture(std::chrono::milliseconds response_timeout = 10s)
    {
        PushOptions options;
        options.web_push_hosts = WebPushHosts::parse(server.environment().at("WEB_PUSH_HOSTS")).value();
        options.allow_private = true;
        options.ca_file = server.authority();
        options.response_timeout = response_timeout;
        push.emplace(options, client, nullptr, clock, logger);
    }

    static Credential::Ptr new_credential()
    {
        return Credential::make({.subject = "mailto:push@example.com", .keys = {VapidKey::generate()}});
    }

    /// A device with a new subscription.
    PushTarget device(std::string const& name, std::int64_t id = 1)
    {
        auto const& key = credential->vapid().current().public_key;
        auto const made = server.subscribe(name, key);
        auto const& keys = made.at("keys");
        auto web = std::make_shared<WebSubscription const>(WebSubscription{.endpoint = text(made, "endpoint"),
            .p256dh = crypto::base64url::decode(text(keys, "p256dh")).value(),
            .auth = crypto::base64url::decode(text(keys, "auth")).value(),
            .vapid_key = key});
        return {.device_id = id, .carrier = Carrier::webpush, .token = name, .web = std::move(web)};
    }

    SharedPush message(std::string const& body = "Body") const
    {
        return std::make_shared<RenderedPush const>(render_push(
            {.id = core::Uuid::v7(), .title = "Title", .body = body, .data = {}, .created_at = clock.now()}));
    }

    std::vector<PushResult> send(std::vector<PushTarget> targets)
    {
        Handed handed(credential, message(), std::move(targets));
        push->send(std::move(handed.batch));
        return handed.results.get();
    }

    PushResult send_one(std::string const& name) { return send({device(name)}).front(); }

    testing::FakeClock clock{core::SystemClock().now()};
    http_client::Client client{{.addresses = http_client::AddressPolicy(true)}};
    observe::Logger logger{"test", observe::Level::off};
    testing::Authority authority;
    WebPushServer server{authority};
    Credential::Ptr credential = new_credential();
    std::optional<PushSender> push;
};

} // namespace

TEST_CASE("a credential has at most 64 requests for Web Push in flight", "[web_push]")
{
    Fixture f;
    f.server.delay(200ms);
    std::vector<PushTarget> devices;
    devices.reserve(200);
    for (int i = 0; i < 200; ++i)
        devices.push_back(f.device("device-" + std::to_string(i), i));
    Handed bulk(f.credential, f.message(), devices);
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
    Handed handed(f.credential, f.message(std::string(max_web_push_bytes, 'x')), {f.device("one")});
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

TEST_CASE("after a stop request, a push in flight is not awaited for long", "[web_push]")
{
    Fixture f;
    std::stop_source stop;
    Handed handed(f.credential, f.message(), {f.device("hang")});
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
    Handed handed(f.credential, f.message(), {f.device("hang")});
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
