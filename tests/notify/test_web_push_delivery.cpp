#include "domain/web_subscription.hpp"
#include "support/file.hpp"
#include "web_push_server.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>

namespace json = boost::json;

namespace {

/// The service with a push service for Web Push, and keys for `demo-sandbox`.
struct Fixture {
    explicit Fixture(std::map<std::string, std::string> const& changes = {}, bool allow_private = true)
        : world({.environment = with(changes), .adjust = [this, allow_private](service::Settings& settings) {
                     server.adjust(settings);
                     settings.outbound_allow_private = allow_private;
                 }})
    {
        world.new_template("ping", {{"channel", "push"}, {"subject", "Ping"}, {"body", "Hello"}});
    }

    /// Registers a new subscription with this name. Returns the device's token.
    std::string subscribe(std::string const& name, std::string const& user = ada)
    {
        return add_device(server.subscribe(name, key), user);
    }

    /// As `subscribe`, with an endpoint that has another host.
    std::string subscribe_at(std::string const& host, std::string const& name)
    {
        auto subscription = server.subscribe(name, key);
        subscription.as_object()["endpoint"] =
            "https://" + host + ':' + std::to_string(server.port()) + "/push/" + name;
        return add_device(subscription, ada);
    }

    std::string add_device(json::value const& subscription, std::string const& user) const
    {
        auto const made =
            require(201, world.as_app().post("/v1/devices",
                             body({{"userId", user}, {"platform", "web"}, {"subscription", subscription}})));
        return text(made.json(), "token");
    }

    std::string send(std::string const& user = ada) const
    {
        return world.send({{"templateName", "ping"}, {"channel", "push"}, {"to", user},
            {"data", json::object{{"order", "42"}}}});
    }

    /// The result of a test push to a new device: `result reason`.
    std::string tested(std::string const& name)
    {
        auto const r = require(200, world.as_backend().post("/v1/devices/" + subscribe(name) + "/test", ""));
        return text(r.json(), "result") + ' ' + text(r.json(), "reason");
    }

    std::size_t devices(std::string const& user = ada) const
    {
        auto backend = world.as_backend();
        return all_items(backend, "/v1/devices?userId=" + user).size();
    }

    std::map<std::string, std::string> with(std::map<std::string, std::string> changes) const
    {
        changes.emplace("WEB_PUSH_HOSTS",
            server.host() + ',' + WebPushServer::host_name + ':' + std::to_string(server.port()));
        return changes;
    }

    testing::Authority authority;
    WebPushServer server{authority};
    World world;
    std::string key = put_web_push(world);
};

json::value payload_of(json::object const& push)
{
    CHECK_FALSE(push.contains("fault"));
    REQUIRE(push.contains("payload"));
    return json::parse(push.at("payload").as_string());
}

} // namespace

TEST_CASE("a push reaches a browser encrypted and signed", "[web_push]")
{
    Fixture f;
    f.subscribe("one");
    f.subscribe("two");
    auto const id = f.send();
    REQUIRE(f.world.becomes(id, "sent"));
    REQUIRE(eventually([&] { return f.server.seen().size() == 2; }));
    for (std::string const name : {"one", "two"}) {
        auto const push = f.server.seen(name).at(0);
        auto const payload = payload_of(push);
        CHECK(payload.as_object().size() > 1);
        auto const shown = json::serialize(payload);
        for (std::string const part : {"Ping", "Hello", "42"})
            CHECK(shown.find(part) != std::string::npos);
        CHECK(shown.find(id) != std::string::npos);
        CHECK(text(push, "key") == f.key);
        CHECK(text(push.at("claims"), "sub") == "mailto:push@example.com");
        auto const& headers = push.at("headers");
        CHECK(text(headers, "ttl") == "2419200");
        CHECK(text(headers, "urgency") == "high");
        CHECK(text(headers, "content-encoding") == "aes128gcm");
        CHECK_FALSE(text(headers, "topic").empty());
    }
    auto const deliveries = f.world.notification(id).at("deliveries").as_array();
    REQUIRE(deliveries.size() == 2);
    for (auto const& delivery : deliveries) {
        CHECK(text(delivery, "status") == "sent");
        CHECK(text(delivery, "platform") == "web");
    }
    CHECK(f.world.postgres.query("SELECT DISTINCT carrier FROM push_deliveries") == "webpush");
}

TEST_CASE("a broadcast reaches browsers", "[web_push]")
{
    Fixture f;
    for (int i = 0; i < 5; ++i)
        f.subscribe("device-" + std::to_string(i), i % 2 == 0 ? ada : bob);
    f.subscribe("410-x");
    auto const made = require(202, f.world.as_backend().post("/v1/notifications/broadcast",
                                       R"({"templateName":"ping","channel":"push"})"));
    auto const path = "/v1/notifications/broadcasts/" + text(made.json(), "broadcastId");
    REQUIRE(eventually([&] { return text(f.world.as_backend().get(path).json(), "completedAt") != "null"; }));
    auto const status = f.world.as_backend().get(path).json();
    CHECK(status.at("enqueuedDevices") == 6);
    CHECK(status.at("sentCount") == 5);
    CHECK(status.at("invalidTokenCount") == 1);
    std::set<std::string> names;
    for (auto const& push : f.server.seen()) {
        payload_of(push);
        names.insert(text(push, "name"));
    }
    CHECK(names.size() == 6);
    CHECK(eventually([&] { return f.devices(ada) == 3; })); // without the device that is gone
}

TEST_CASE("the response of a push service decides about its device only", "[web_push]")
{
    Fixture f;
    CHECK(f.tested("ok") == "sent null");
    CHECK(f.tested("large") == "sent null");
    CHECK(f.tested("404") == "invalid HTTP_404");
    CHECK(f.tested("410") == "invalid HTTP_410");
    CHECK(f.devices() == 2);
    CHECK(f.tested("413") == "failed PAYLOAD_TOO_LARGE");
    CHECK(f.tested("400") == "failed HTTP_400");
    CHECK(f.tested("401") == "failed HTTP_401");
    CHECK(f.tested("403") == "failed HTTP_403");
    CHECK(f.tested("429") == "failed HTTP_429");
    CHECK(f.tested("503") == "failed HTTP_503");
    CHECK(f.tested("ok-again") == "sent null");
    auto const platform = f.world.as_backend().get("/v1/platforms").json().at("platforms").at(0);
    CHECK(platform.at("pausedUntil").is_null());
}

TEST_CASE("a redirect of a push service is not followed", "[web_push]")
{
    Fixture f;
    f.server.subscribe("target", f.key);
    CHECK(f.tested("redirect") == "failed HTTP_307");
    CHECK(f.server.seen("target").empty());
}

TEST_CASE("after a rotation, each device gets pushes under the key that it registered under", "[web_push]")
{
    Fixture f;
    f.subscribe("old");
    auto const first = f.key;
    f.key = text(require(200, f.world.as_backend().put("/v1/platforms/webpush", R"({"rotate":true})")).json(),
        "publicKey");
    REQUIRE(f.key != first);
    f.subscribe("new");
    REQUIRE(f.world.becomes(f.send(), "sent"));
    REQUIRE(eventually([&] { return f.server.seen().size() == 2; }));
    CHECK(text(f.server.seen("old").at(0), "key") == first);
    CHECK(text(f.server.seen("new").at(0), "key") == f.key);
    payload_of(f.server.seen("old").at(0));
    payload_of(f.server.seen("new").at(0));

    // The keys of an environment that were deleted do not come back.
    require(200, f.world.as_backend().del("/v1/platforms/webpush"));
    put_web_push(f.world);
    auto const token = notify::web_token(text(f.server.subscribe("old", f.key), "endpoint"));
    auto const r = require(200, f.world.as_backend().post("/v1/devices/" + token + "/test", ""));
    CHECK(text(r.json(), "reason") == "VAPID_KEY_MISSING");
}

TEST_CASE("a push service on a private address is not called unless the operator allows it", "[web_push]")
{
    Fixture f({}, false);
    CHECK(f.tested("one") == "failed ADDRESS_NOT_ALLOWED");
    CHECK(f.server.seen().empty());
}

// DNS rebinding: the app may choose a name that is public when it subscribes, and private when a push is
// sent. So the address at the time of the connection decides.
TEST_CASE("a push service whose host name leads to a private address is not contacted", "[web_push]")
{
    testing::TemporaryDirectory const folder("aliases");
    std::string const aliases = folder.path() + "/aliases";
    std::ofstream(aliases) << WebPushServer::host_name << " localhost\n";
    ::setenv("HOSTALIASES", aliases.c_str(), 1); // c-ares reads this file at each look-up
    bool const allowed = GENERATE(false, true);
    Fixture f({}, allowed);
    f.subscribe_at(WebPushServer::host_name, "one");
    auto const id = f.send();
    REQUIRE(f.world.becomes(id, "failed"));
    ::unsetenv("HOSTALIASES");
    auto const reason = text(f.world.notification(id), "failureReason");
    if (allowed) { // the name leads to the server, which expects another name in the header of VAPID
        CHECK(reason == "HTTP_400");
        CHECK(f.server.connections() == 1);
    } else {
        CHECK(reason == "ADDRESS_NOT_ALLOWED");
        CHECK(f.server.connections() == 0);
    }
    CHECK(f.devices() == 1);
}

TEST_CASE("pushes wait while a push service is down, and are sent when it is back", "[web_push]")
{
    Fixture f;
    f.subscribe("one");
    f.subscribe("two");
    f.subscribe("bob", bob);
    f.server.listen(false);
    std::vector<std::string> const ids{f.send(), f.send(bob)};
    auto const put_off = [&] {
        return eventually([&] {
            return f.world.postgres.query(R"(
                SELECT count(*)
                FROM jobs
                WHERE queue = 'notify.push.webpush' AND lease_owner IS NULL AND run_at > ')" +
                                          core::to_rfc3339(f.world.clock.now() + 1ms) + "'") == "2";
        });
    };
    for (auto const wait : {0min, 20min, 20min, 10min}) {
        f.world.clock.advance(wait);
        REQUIRE(put_off());
    }
    for (auto const& id : ids) {
        auto const n = f.world.notification(id);
        CHECK(text(n, "status") == "queued");
        CHECK(n.at("attempts") == 0);
        for (auto const& delivery : n.at("deliveries").as_array())
            CHECK(text(delivery, "reason") == "CARRIER_DOWN");
    }
    CHECK(f.server.seen().empty());

    f.server.listen(true);
    for (auto const& id : ids) {
        REQUIRE(eventually(
            [&] {
                f.world.clock.advance(100ms); // fewer than ten minutes in all
                auto const n = f.world.notification(id);
                auto const& all = n.at("deliveries").as_array();
                return std::ranges::all_of(
                    all, [](auto const& one) { return text(one, "status") == "sent"; });
            },
            30s));
        CHECK(text(f.world.notification(id), "status") == "sent");
    }
    for (std::string const name : {"one", "two", "bob"})
        CHECK(f.server.seen(name).size() == 1);
    CHECK(f.world.postgres.query("SELECT max(attempts) FROM push_deliveries") == "1");
}

TEST_CASE("a push service that fails does not delay other push services", "[web_push]")
{
    Fixture f;
    f.server.answer_all(500);
    for (int i = 0; i < 5; ++i)
        CHECK(f.tested("down-" + std::to_string(i)) == "failed HTTP_500");
    CHECK(f.tested("down-6") == "failed CARRIER_DOWN");
    CHECK(f.server.seen("down-6").empty());
}

TEST_CASE("PUSH_PROVIDER=outbox writes web pushes to the file", "[web_push]")
{
    testing::TemporaryDirectory const folder("outbox");
    Fixture f({{"PUSH_PROVIDER", "outbox"}, {"PUSH_OUTBOX", folder.path() + "/pushes"}});
    auto const token = f.subscribe("one");
    auto const id = f.send();
    REQUIRE(f.world.becomes(id, "sent"));
    CHECK(f.server.seen().empty());
    auto const line = json::parse(testing::read_file(folder.path() + "/pushes")).as_object();
    CHECK(text(line, "platform") == "web");
    CHECK(text(line, "token") == token);
    CHECK(json::serialize(line.at("message")).find(id) != std::string::npos);
}
