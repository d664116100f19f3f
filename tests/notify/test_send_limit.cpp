#include "sends.hpp"

#include <catch2/catch.hpp>

using namespace sends;

TEST_CASE("ten sends per five minutes are allowed, in a sliding window", "[notify]")
{
    World world({.limited = true});
    make_templates(world);
    auto backend = world.as_backend();
    auto const late = core::to_rfc3339(world.clock.now() + 24h); // so that nothing is sent during the test
    auto const status = [&] { return backend.post(path, body(email({{"sendAt", late}}))).status; };
    auto const first = backend.post(path, body(email({{"sendAt", late}})));
    CHECK(first.status == 202);
    CHECK(first.header("ratelimit-policy").find("\"sends\";q=10;w=300") != std::string::npos);
    CHECK(first.header("ratelimit").find("\"sends\";r=9;t=300") != std::string::npos);
    world.clock.advance(60s);
    for (int i = 0; i < 9; ++i)
        CHECK(status() == 202);

    auto const refused = backend.post(path, body(email({{"sendAt", late}})));
    CHECK(refused.status == 429);
    CHECK(error_of(refused) == "RATE_LIMITED");
    CHECK(refused.header("retry-after") == "240");
    CHECK(refused.header("ratelimit").find("\"sends\";r=0;t=240") != std::string::npos);
    CHECK(count(world) == "10");

    world.clock.advance(239s);
    CHECK(status() == 429);
    world.clock.advance(1s); // the first send is now five minutes old
    CHECK(status() == 202);
    CHECK(status() == 429);
    world.clock.advance(60s); // now the other nine are five minutes old
    for (int i = 0; i < 9; ++i)
        CHECK(status() == 202);
    CHECK(status() == 429);
    CHECK(count(world) == "20");
    // Each scope has its own limit.
    CHECK(world.as_backend("demo").post(path, body(email())).status == 202);
}

TEST_CASE("replicas with different clocks share the window of a limit", "[notify]")
{
    World world({.limited = true});
    make_templates(world);
    // Each replica and Redis have separate clocks, as in production.
    testing::FakeClock const right(world.clock.now()), ahead(world.clock.now() + 6min);
    auto const one = world.replica(right), other = world.replica(ahead);
    auto const late = core::to_rfc3339(world.clock.now() + 24h); // so that nothing is sent during the test
    auto const status = [&](service::Host const& host) {
        testing::HttpClient backend("http://127.0.0.1:" + std::to_string(host.port()));
        backend.set("Host", "demo-sandbox.notify.localhost");
        backend.set("Authorization", "Bearer " + world.key());
        return backend.post(path, body(email({{"sendAt", late}}))).status;
    };
    int accepted = 0, refused = 0;
    for (int i = 0; i < 10; ++i) {
        for (auto const* host : {one.get(), other.get()}) {
            auto const answer = status(*host);
            accepted += answer == 202 ? 1 : 0;
            refused += answer == 429 ? 1 : 0;
        }
    }
    CHECK(accepted == 10);
    CHECK(refused == 10);
    one->stop();
    other->stop();
}

TEST_CASE("only accepted requests count against the limit", "[notify]")
{
    World world({.limited = true});
    make_templates(world);
    auto backend = world.as_backend();
    auto const status = [&](boost::json::object const& sent,
                            testing::HttpClient::Headers const& headers = {}) {
        return backend.post(path, body(sent), headers).status;
    };
    for (int i = 0; i < 12; ++i) {
        CHECK(status({}) == 400);
        CHECK(status(email({{"to", "nobody"}})) == 400);
        CHECK(status(email({{"templateName", "nope"}})) == 404);
        CHECK(status(email({{"variables", nullptr}})) == 400);
        CHECK(status(push()) == 409);
        CHECK(status(email({{"attachments", boost::json::array{{{"attachmentId", ada}}}}})) == 400);
        CHECK(world.as_app().post(path, body(email())).status == 403);
    }
    CHECK(status(email(), {{"Idempotency-Key", "once"}}) == 202);
    for (int i = 0; i < 12; ++i) {
        CHECK(status(email(), {{"Idempotency-Key", "once"}}) == 202);
        CHECK(status(email({{"to", "bob@example.com"}}), {{"Idempotency-Key", "once"}}) == 422);
    }
    for (int i = 0; i < 9; ++i)
        CHECK(status(email()) == 202);
    CHECK(status(email()) == 429);
    // After the limit is used up, a repeated request still gets its stored response, and a malformed request
    // gets 400.
    auto const replay = backend.post(path, body(email()), {{"Idempotency-Key", "once"}});
    CHECK(replay.status == 202);
    CHECK(replay.header("idempotent-replayed") == "true");
    CHECK(status({}) == 400);
    CHECK(count(world) == "10");
}

TEST_CASE("a tenant's own limit replaces the default", "[notify]")
{
    World world({.limited = true});
    make_templates(world);
    auto backend = world.as_backend();
    auto const limit_to = [&](int sends) {
        auto const limits = boost::json::object{{"sendsPer5Minutes", sends}};
        REQUIRE(world.as_master()
                    .put("/v1/admin/tenants/demo", body({{"displayName", "Demo"}, {"limits", limits}}))
                    .status == 200);
    };
    limit_to(0);
    CHECK(eventually([&] { return backend.post(path, body(email())).status == 429; }));
    limit_to(12);
    CHECK(eventually([&] { return backend.post(path, body(email())).status == 202; }));
    while (count(world) != "12")
        REQUIRE(backend.post(path, body(email())).status == 202);
    CHECK(backend.post(path, body(email())).status == 429);
}

TEST_CASE("a send whose write fails does not count against the limit", "[notify]")
{
    World world({.limited = true});
    make_templates(world);
    auto backend = world.as_backend();
    REQUIRE(backend.post(path, body(email())).status == 202); // fills the caches
    world.postgres.query(R"(
        ALTER TABLE notifications ADD CONSTRAINT broken CHECK (created_at < '2000-01-01') NOT VALID)");
    for (int i = 0; i < 12; ++i) {
        CHECK(backend.post(path, body(email())).status == 500);
        CHECK(backend.post(path, body(email()), {{"Idempotency-Key", std::to_string(i)}}).status == 500);
    }
    world.postgres.query("ALTER TABLE notifications DROP CONSTRAINT broken");
    for (int i = 0; i < 9; ++i)
        CHECK(backend.post(path, body(email())).status == 202);
    CHECK(backend.post(path, body(email())).status == 429);
}

TEST_CASE("a send is refused if its limit cannot be checked", "[notify]")
{
    World world;
    make_templates(world);
    auto backend = world.as_backend();
    world.redis.stop();
    auto const r = backend.post(path, body(email()));
    CHECK(r.status == 503);
    CHECK(error_of(r) == "UNAVAILABLE");
    CHECK(backend.post(path, body(email({{"to", "nobody"}}))).status == 400);
    CHECK(backend.get("/v1/notifications").status == 200);
    CHECK(count(world) == "0");
}

TEST_CASE("a retry counts as a send against the limit", "[notify]")
{
    World world({.limited = true});
    make_templates(world);
    auto backend = world.as_backend();
    auto const late = core::to_rfc3339(world.clock.now() + 24h);
    auto const id = world.send(email({{"sendAt", late}}));
    auto const to = [&](char const* rest) {
        return backend.post("/v1/notifications/" + id + rest, "").status;
    };
    for (int i = 0; i < 12; ++i)
        CHECK(to("/retry") == 409); // the notification has not failed, so the request does not count
    for (int used = 1; used < 10; ++used) {
        CHECK(to("/cancel") == 200);
        CHECK(to("/retry") == 202);
    }
    CHECK(to("/cancel") == 200);
    auto const refused = backend.post("/v1/notifications/" + id + "/retry", "");
    CHECK(refused.status == 429);
    CHECK(error_of(refused) == "RATE_LIMITED");
    CHECK(text(world.notification(id), "status") == "failed");
    CHECK(backend.post(path, body(email())).status == 429);
    world.clock.advance(5min);
    CHECK(to("/retry") == 202);
}
