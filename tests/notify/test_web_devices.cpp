#include "crypto/ecdh.hpp"
#include "crypto/encoding.hpp"
#include "domain/web_subscription.hpp"
#include "storage/carrier_configs.hpp"
#include "storage/web_subscriptions.hpp"
#include "web_push_server.hpp"

#include <catch2/catch.hpp>

namespace json = boost::json;
namespace web_subscriptions = notify::web_subscriptions;

namespace {

World::Options const options{.environment = {{"WEB_PUSH_HOSTS", "push.example.net"}}};

std::string endpoint_of(std::string const& name)
{
    return "https://push.example.net/" + name;
}

json::object subscription(std::string const& endpoint)
{
    return {{"endpoint", endpoint},
        {"keys",
            json::object{{"p256dh", crypto::base64url::encode(crypto::EcdhKey::generate().public_point())},
                {"auth", crypto::base64url::encode("0123456789abcdef")}}}};
}

json::object registration(std::string const& name = "one", std::string const& user = ada)
{
    return {{"userId", user}, {"platform", "web"}, {"subscription", subscription(endpoint_of(name))}};
}

json::object with(json::object object, std::string_view member, json::value const& value)
{
    object[member] = value;
    return object;
}

/// The key that a device has registered under, as stored.
std::string key_of(World const& world, std::string const& name)
{
    return world.postgres.query(
        "SELECT web_key FROM devices WHERE token = '" + notify::web_token(endpoint_of(name)) + "'");
}

std::string rotated(World const& world)
{
    auto const put = require(200, world.as_backend().put("/v1/platforms/webpush", R"({"rotate":true})"));
    return text(put.json(), "publicKey");
}

} // namespace

TEST_CASE("keys for Web Push are made per environment, and private keys are never shown", "[web_push]")
{
    World const world(options);
    auto backend = world.as_backend();
    CHECK(backend.get("/v1/platforms/webpush").status == 404);
    auto const put =
        require(200, backend.put("/v1/platforms/webpush", R"({"subject":"mailto:a@example.com"})"));
    CHECK(text(put.json(), "kind") == "webpush");
    CHECK(text(put.json(), "environment") == "sandbox");
    CHECK(text(put.json(), "subject") == "mailto:a@example.com");
    auto const key = text(put.json(), "publicKey");
    CHECK(crypto::is_p256_point(crypto::base64url::decode(key).value()));
    CHECK(put.json().at("pausedUntil").is_null());

    json::object const shown{{"publicKey", key}};
    auto master = world.as_master(), user = world.as_user(ada), admin = world.as_user(ada, "admin");
    for (auto* const client : {&backend, &master, &user, &admin})
        CHECK(require(200, client->get("/v1/platforms/webpush")).json() == shown);
    CHECK(world.as_app().get("/v1/platforms/webpush").status == 403);
    CHECK(world.as_app().put("/v1/platforms/webpush", R"({"rotate":true})").status == 403);
    CHECK(world.as_user(ada).put("/v1/platforms/webpush", R"({"rotate":true})").status == 403);
    CHECK(world.as_backend("demo").get("/v1/platforms/webpush").status == 404);
    CHECK(world.as_backend("other-sandbox").get("/v1/platforms/webpush").status == 404);

    auto const listed = backend.get("/v1/platforms");
    CHECK(listed.json().at("platforms") == json::array{put.json()});
    auto const audit = backend.get("/v1/audit?action=platform.updated");
    CHECK(audit.json().at("items").as_array().size() == 1);
    auto const stored = world.postgres.query("SELECT string_agg(p::text, ' ') FROM platforms p");
    for (auto const& text : {put.body, listed.body, audit.body, stored})
        CHECK(text.find("PRIVATE KEY") == std::string::npos);

    CHECK(backend.del("/v1/platforms/webpush").body == R"({"deleted":true})");
    CHECK(backend.get("/v1/platforms/webpush").status == 404);
}

TEST_CASE("keys for Web Push stay until a new key is requested", "[web_push]")
{
    World const world(options);
    auto backend = world.as_backend();
    auto const first = put_web_push(world);
    auto const again = require(
        200, backend.put("/v1/platforms/webpush", R"({"subject":"https://example.com","rotate":false})"));
    CHECK(text(again.json(), "publicKey") == first);
    CHECK(text(again.json(), "subject") == "https://example.com");
    auto const second = rotated(world);
    CHECK(second != first);
    auto const now = require(200, backend.get("/v1/platforms")).json().at("platforms").at(0);
    CHECK(text(now, "publicKey") == second);
    CHECK(text(now, "subject") == "https://example.com");
    for (auto const& [request, faults] : {std::pair(R"({"subject":"push@example.com"})", "/subject format"),
             std::pair(R"({"subject":7})", "/subject type"), std::pair(R"({"rotate":1})", "/rotate type")}) {
        auto const refused = backend.put("/v1/platforms/webpush", request);
        CHECK(refused.status == 400);
        CHECK(faults_of(refused) == faults);
    }
    CHECK(text(backend.get("/v1/platforms/webpush").json(), "publicKey") == second);
    auto const without = world.as_backend("demo").put("/v1/platforms/webpush", R"({"rotate":true})");
    CHECK(without.status == 400);
    CHECK(faults_of(without) == "/subject required");
    CHECK(world.as_backend("demo").get("/v1/platforms").body == R"({"platforms":[]})");
}

TEST_CASE("a web device is registered by its subscription, which is stored sealed", "[web_push]")
{
    World const world(options);
    auto backend = world.as_backend();
    auto const early = world.as_app().post("/v1/devices", body(registration()));
    CHECK(early.status == 409);
    CHECK(error_of(early) == "PUSH_CHANNEL_DISABLED");
    CHECK(world.as_app().post("/v1/devices", body(registration()), {{"Idempotency-Key", "early"}}).status ==
          409);
    auto const key = put_web_push(world);
    auto const made = require(201, world.as_app().post("/v1/devices", body(registration())));
    auto const token = notify::web_token(endpoint_of("one"));
    CHECK(text(made.json(), "token") == token);
    CHECK(text(made.json(), "platform") == "web");
    CHECK(text(made.json(), "userId") == ada);
    CHECK(made.body.find("push.example.net") == std::string::npos);
    CHECK(key_of(world, "one") == key);
    auto const stored = world.postgres.query("SELECT string_agg(d::text, ' ') FROM devices d");
    CHECK(stored.find("push.example.net") == std::string::npos);
    CHECK(all_items(backend, std::string("/v1/devices?userId=") + ada).size() == 1);

    // Another user signs in on the same device.
    auto const moved = require(
        201, backend.post("/v1/devices", body(registration("one", bob)), {{"Idempotency-Key", "bob"}}));
    CHECK(text(moved.json(), "token") == token);
    CHECK(all_items(backend, std::string("/v1/devices?userId=") + ada).empty());
    CHECK(all_items(backend, std::string("/v1/devices?userId=") + bob).size() == 1);
    CHECK(world.as_backend("demo").del("/v1/devices/" + token).status == 404);
    require(200, world.as_app().del("/v1/devices/" + token));
    CHECK(world.postgres.query("SELECT count(*) FROM devices") == "0");
}

TEST_CASE("an invalid subscription is refused, and a web device may still have a token", "[web_push]")
{
    World const world(options);
    put_web_push(world);
    auto const app = world.as_app();

    struct Case {
        json::object request;
        std::string faults;
    };

    for (auto const& [request, faults] : {
             Case{with(registration(), "token", "abc"), "/token not_allowed"},
             Case{with(registration(), "platform", "android"), "/subscription not_allowed"},
             Case{with(registration(), "platform", "tv"), "/platform not_allowed\n/subscription not_allowed"},
             Case{with(registration(), "subscription", "text"), "/subscription type"},
             Case{with(registration(), "subscription", nullptr), "/token required"},
             Case{with(registration(), "subscription", subscription("https://evil.example/x")),
                 "/subscription/endpoint not_allowed"},
             Case{with(registration(), "subscription", subscription("http://push.example.net/x")),
                 "/subscription/endpoint format"},
         }) {
        CAPTURE(request, faults);
        auto const refused = world.as_app().post("/v1/devices", body(request));
        CHECK(refused.status == 400);
        CHECK(faults_of(refused) == faults);
    }
    CHECK(world.postgres.query("SELECT count(*) FROM devices") == "0");
    world.new_device(ada, "fcm:token", "web");
    CHECK(world.postgres.query("SELECT count(*) FROM devices WHERE web_subscription IS NULL") == "1");
}

TEST_CASE("a device keeps the key that it registered under", "[web_push]")
{
    World const world(options);
    auto const first = put_web_push(world);
    auto app = world.as_app();
    require(201, app.post("/v1/devices", body(registration("one"))));
    auto const second = rotated(world);
    require(201, app.post("/v1/devices", body(registration("one"))));
    require(201, app.post("/v1/devices", body(registration("two")), {{"Idempotency-Key", "two"}}));
    CHECK(key_of(world, "one") == first);
    CHECK(key_of(world, "two") == second);

    // A token that replaces the subscription, and a subscription that replaces this token.
    world.new_device(ada, notify::web_token(endpoint_of("one")), "android");
    CHECK(key_of(world, "one").empty());
    require(201, app.post("/v1/devices", body(registration("one"))));
    CHECK(key_of(world, "one") == second);
}

TEST_CASE("earlier keys are removed only if no device uses them", "[web_push]")
{
    World const world(options);
    put_web_push(world);
    auto app = world.as_app();
    for (std::size_t i = 1; i < notify::VapidKeys::max_keys; ++i) {
        require(201, app.post("/v1/devices", body(registration(std::to_string(i)))));
        rotated(world);
    }
    require(201, app.post("/v1/devices", body(registration("last"))));
    auto const full = world.as_backend().put("/v1/platforms/webpush", R"({"rotate":true})");
    CHECK(full.status == 409);
    CHECK(error_of(full) == "CONFLICT");
    require(200, world.as_backend().put("/v1/platforms/webpush", R"({"subject":"https://example.com"})"));
    require(200, app.del("/v1/devices/" + notify::web_token(endpoint_of("3"))));
    rotated(world);
    rotated(world); // replaces a key that no device uses
    require(201, app.post("/v1/devices", body(registration("newest"))));
    CHECK(world.as_backend().put("/v1/platforms/webpush", R"({"rotate":true})").status == 409);
}

TEST_CASE("the export of a user has the subscription without its secret, and the erasure removes it",
    "[web_push][users]")
{
    World const world(options);
    put_web_push(world);
    auto const registered = registration();
    require(201, world.as_app().post("/v1/devices", body(registered)));
    auto const exported =
        require(200, world.as_backend().get(std::string("/v1/users/") + ada + "/export")).body;
    auto const& keys = registered.at("subscription").at("keys");
    CHECK(exported.find(endpoint_of("one")) != std::string::npos);
    CHECK(exported.find(text(keys, "p256dh")) != std::string::npos);
    CHECK(exported.find(text(keys, "auth")) == std::string::npos);
    require(200, world.as_backend().del(std::string("/v1/users/") + ada));
    CHECK(eventually([&] { return world.postgres.query("SELECT count(*) FROM devices") == "0"; }));
}

TEST_CASE("subscriptions are sealed again under the first encryption key", "[web_push]")
{
    auto const postgres = testing::Postgres::migrated(notify::App::components(), "notify");
    pg::Database database({.url = postgres.service_url(), .threads = 1, .queue_timeout = 30s});
    std::string const old_key = "old:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
    std::string const new_key = "new:AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=";
    auto const old_ring = crypto::Keyring::parse(old_key),
               both = crypto::Keyring::parse(new_key + ',' + old_key),
               new_ring = crypto::Keyring::parse(new_key);
    core::Scope const scope{core::ScopeId{2}, "demo-sandbox"};
    notify::WebSubscription const subscription{
        .endpoint = endpoint_of("one"), .p256dh = "key", .auth = "secret", .vapid_key = "public"};
    auto const token = notify::web_token(subscription.endpoint);
    auto const registered = [&] {
        return database.transact_blocking(scope, [&](pg::Tx& tx) {
            return notify::devices::register_one(
                tx, {.scope_id = scope.id,
                        .token = token,
                        .user_id = core::UserId(ada),
                        .platform = notify::DevicePlatform::web,
                        .sealed_subscription = web_subscriptions::seal(old_ring, scope.id, subscription),
                        .web_key = "public"});
        });
    }();
    REQUIRE(registered.has_value());
    auto const reencrypted = [&] {
        return database.transact_blocking(
            scope, [&](pg::Tx& tx) { return web_subscriptions::reencrypt(tx, scope, both); });
    };
    CHECK(reencrypted() == 1);
    CHECK(reencrypted() == 0);
    auto const stored = database.transact_blocking(
        scope, [&](pg::Tx& tx) { return notify::devices::find(tx, scope, token).value(); });
    web_subscriptions::Stored const columns{stored.sealed_subscription, stored.web_key};
    auto const opened = web_subscriptions::open(new_ring, scope.id, token, columns);
    REQUIRE(opened);
    CHECK(opened->endpoint == subscription.endpoint);
    CHECK(opened->vapid_key == "public");
    CHECK_FALSE(web_subscriptions::open(old_ring, scope.id, token, columns));
    CHECK_FALSE(web_subscriptions::open(new_ring, core::ScopeId{3}, token, columns));
    CHECK_FALSE(web_subscriptions::open(new_ring, scope.id, "another", columns));
    CHECK_FALSE(web_subscriptions::open(new_ring, scope.id, token, {}));
}
