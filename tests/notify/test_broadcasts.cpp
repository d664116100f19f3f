#include "broadcasts.hpp"

#include <barrier>
#include <set>
#include <thread>

// Tests of accepting, reading and cancelling broadcasts.

using namespace broadcast_test;

namespace {

/// The results of `n` concurrent requests: `status` of the body, or the HTTP status of a refusal.
std::map<std::string, int> at_once(
    World const& world, int n, std::string const& fields, std::set<std::string>& ids)
{
    world.key();
    std::barrier start(n);
    std::vector<testing::HttpResponse> answers(static_cast<std::size_t>(n));
    std::vector<std::thread> threads;
    for (int i = 0; i < n; ++i) {
        threads.emplace_back([&, i] {
            auto client = world.as_backend();
            start.arrive_and_wait();
            answers[static_cast<std::size_t>(i)] = client.post(path, fields);
        });
    }
    for (auto& thread : threads)
        thread.join();
    std::map<std::string, int> statuses;
    for (auto const& answer : answers) {
        ++statuses[answer.status == 202 ? text(answer.json(), "status") : std::to_string(answer.status)];
        if (answer.status == 202) ids.insert(text(answer.json(), "broadcastId"));
    }
    return statuses;
}

} // namespace

// --- refusals

TEST_CASE("invalid broadcasts are refused, and use neither the dedupe key nor the limit", "[broadcast]")
{
    Fixture f;
    f.world.new_template("mail");
    f.world.new_template("hello", {{"channel", "push"}, {"subject", "Hi {{name}}"}, {"body", "x"}});
    f.world.new_template("long", {{"channel", "push"}, {"subject", "x"}, {"body", "{{text}}"}});
    auto backend = f.world.as_backend();
    auto const refused = [&](json::object more) {
        more["dedupeKey"] = "the key";
        return faults_of(backend.post(path, asked(std::move(more))));
    };
    for (int i = 0; i < 12; ++i) {
        CHECK(faults_of(backend.post(path, "{}")) == "/templateName required\n/channel required");
        CHECK(refused({{"channel", "email"}}).starts_with("/channel "));
        CHECK(refused({{"templateName", "nope"}}) == "TEMPLATE_NOT_FOUND");
        CHECK(refused({{"templateName", "mail"}}) == "TEMPLATE_NOT_PUSH");
        CHECK(refused({{"templateName", "hello"}}).starts_with("/variables/name "));
        CHECK(refused({{"templateName", "long"},
                  {"variables", json::object{{"text", std::string(5'000, 'x')}}}}) == " too_long");
    }
    CHECK(backend.post(path, asked({{"templateName", "nope"}})).status == 404);
    CHECK(backend.post(path, asked({{"templateName", "mail"}})).status == 400);
    CHECK(faults_of(backend.post(path, keyed(""))) == "/dedupeKey too_short");
    CHECK(faults_of(backend.post(path, keyed(std::string(201, 'k')))) == "/dedupeKey too_long");
    CHECK(f.world.as_app().post(path, asked()).status == 403);

    auto const direct = [&] { // shows the settings that the service has cached; sends have no limit here
        return backend.post("/v1/notifications/send", asked({{"to", ada}})).status;
    };
    REQUIRE(backend.patch("/v1/settings", R"({"pushEnabled":false})").status == 200);
    REQUIRE(eventually([&] { return direct() == 409; }));
    CHECK(refused({}) == "PUSH_CHANNEL_DISABLED");
    CHECK(backend.post(path, asked()).status == 409);
    REQUIRE(backend.patch("/v1/settings", R"({"pushEnabled":true})").status == 200);
    REQUIRE(eventually([&] { return direct() == 202; }));
    // The other environment has no platform.
    REQUIRE(f.world.as_backend("demo").post(path, asked()).status == 409);
    f.start(keyed("the key"));
    for (int i = 0; i < 9; ++i)
        f.start(keyed(std::string(200, static_cast<char>('a' + i))));
    CHECK(backend.post(path, asked()).status == 429);
    CHECK(f.world.postgres.query("SELECT count(*) FROM broadcasts") == "10");
}

TEST_CASE("ten broadcasts per minute are allowed, in a sliding window", "[broadcast]")
{
    Fixture f;
    auto backend = f.world.as_backend();
    auto const first = backend.post(path, keyed("first"));
    CHECK(first.status == 202);
    CHECK(first.header("ratelimit-policy").find("\"broadcasts\";q=10;w=60") != std::string::npos);
    CHECK(first.header("ratelimit").find("\"broadcasts\";r=9;t=60") != std::string::npos);
    f.world.clock.advance(20s);
    for (int i = 0; i < 9; ++i)
        f.start();
    auto const refused = backend.post(path, keyed("late"));
    CHECK(refused.status == 429);
    CHECK(error_of(refused) == "RATE_LIMITED");
    CHECK(refused.header("retry-after") == "40");
    // A duplicate still gets its response, and does not count.
    for (int i = 0; i < 3; ++i) {
        auto const again = backend.post(path, keyed("first"));
        CHECK(again.status == 202);
        CHECK(again.json() ==
              json::value{{"broadcastId", text(first.json(), "broadcastId")}, {"status", "duplicate"}});
        CHECK(again.header("ratelimit").empty());
    }
    // Other scopes and sends have separate limits.
    f.world.put_fcm("demo");
    CHECK(f.world.as_backend("demo").post(path, asked()).status == 202);
    f.world.send({{"templateName", "news"}, {"channel", "push"}, {"to", ada}});

    f.world.clock.advance(39s);
    CHECK(backend.post(path, keyed("late")).status == 429);
    f.world.clock.advance(1s); // the first broadcast is now a minute old
    f.start(keyed("late"));    // the refused request did not reserve its key
    CHECK(backend.post(path, asked()).status == 429);
    f.world.clock.advance(20s); // now the other nine are a minute old
    for (int i = 0; i < 9; ++i)
        f.start();
    CHECK(backend.post(path, asked()).status == 429);
}

TEST_CASE("a broadcast is refused if its limit cannot be checked", "[broadcast]")
{
    Fixture f;
    auto const id = f.start(keyed("before"));
    f.world.redis.stop();
    auto backend = f.world.as_backend();
    CHECK(backend.post(path, keyed("key")).status == 503);
    CHECK(backend.post(path, asked()).status == 503);
    CHECK(text(backend.post(path, keyed("before")).json(), "broadcastId") == id);
    CHECK(f.world.postgres.query("SELECT count(*) FROM broadcasts") == "1");
    CHECK(f.world.postgres.query("SELECT count(*) FROM broadcast_claims") == "1");
}

// --- the dedupe key

TEST_CASE("a dedupe key is reserved for 24 hours", "[broadcast]")
{
    Fixture f;
    auto backend = f.world.as_backend();
    auto const id = f.start(keyed("weekly"));
    auto const again = [&](std::string const& fields) { return backend.post(path, fields); };
    auto const duplicate = json::value{{"broadcastId", id}, {"status", "duplicate"}};
    CHECK(again(keyed("weekly")).status == 202);
    CHECK(again(keyed("weekly")).json() == duplicate);
    CHECK(again(asked({{"dedupeKey", "weekly"}, {"templateName", "whatever"}})).json() == duplicate);
    REQUIRE(backend.del("/v1/platforms/fcm").status == 200);
    REQUIRE(backend.del("/v1/platforms/apns").status == 200);
    CHECK(again(keyed("weekly")).json() == duplicate);
    CHECK(again(keyed("another")).status == 409);
    f.world.put_fcm();
    f.world.put_fcm("demo");
    CHECK(text(f.world.as_backend("demo").post(path, keyed("weekly")).json(), "status") == "queued");
    CHECK(text(f.broadcast(id), "dedupeKey") == "weekly");

    f.world.clock.advance(24h - 1s);
    CHECK(again(keyed("weekly")).json() == duplicate);
    f.world.clock.advance(1s);
    auto const next = f.start(keyed("weekly"));
    CHECK(next != id);
    CHECK(text(again(keyed("weekly")).json(), "broadcastId") == next);
    CHECK(f.world.postgres.query("SELECT count(*) FROM broadcasts") == "3");
}

TEST_CASE("of several parallel requests with one dedupe key exactly one starts a broadcast and counts",
    "[broadcast]")
{
    constexpr int threads = 24; // more than the limit
    Fixture f;
    f.new_devices(3, "ok:");
    std::set<std::string> ids;
    auto const statuses = at_once(f.world, threads, keyed("once"), ids);
    CHECK(statuses == std::map<std::string, int>{{"duplicate", threads - 1}, {"queued", 1}});
    REQUIRE(ids.size() == 1);
    CHECK(f.world.postgres.query("SELECT count(*) FROM broadcasts") == "1");
    REQUIRE(f.completes(*ids.begin()));
    CHECK(f.fcm.pushes() == 3);
    for (int i = 0; i < 9; ++i)
        f.start();
    CHECK(f.world.as_backend().post(path, asked()).status == 429);

    // When the limit is used up, no request reserves the key.
    ids.clear();
    CHECK(at_once(f.world, threads, keyed("too late"), ids) == std::map<std::string, int>{{"429", threads}});
    CHECK(f.world.postgres.query("SELECT count(*) FROM broadcast_claims") == "1");
}

TEST_CASE(
    "a repeated broadcast request with the same Idempotency-Key gets the stored response", "[broadcast]")
{
    Fixture f;
    auto backend = f.world.as_backend();
    auto const headers = testing::HttpClient::Headers{{"Idempotency-Key", "once"}};
    auto const first = backend.post(path, asked(), headers);
    REQUIRE(first.status == 202);
    for (int i = 0; i < 9; ++i)
        f.start();
    auto const replay = backend.post(path, asked(), headers);
    CHECK(replay.status == 202);
    CHECK(replay.body == first.body);
    CHECK(replay.header("idempotent-replayed") == "true");
    CHECK(backend.post(path, keyed("x"), headers).status == 422);
    CHECK(f.world.postgres.query("SELECT count(*) FROM broadcasts") == "10");
}

TEST_CASE("a duplicate with an Idempotency-Key gets the stored response even after its dedupe key expired",
    "[broadcast]")
{
    Fixture f;
    auto backend = f.world.as_backend();
    auto const id = f.start(keyed("weekly"));
    auto const headers = testing::HttpClient::Headers{{"Idempotency-Key", "once"}};
    auto const first = backend.post(path, keyed("weekly"), headers);
    CHECK(first.json() == json::value{{"broadcastId", id}, {"status", "duplicate"}});
    f.world.clock.advance(24h);
    auto const replay = backend.post(path, keyed("weekly"), headers);
    CHECK(replay.body == first.body);
    CHECK(replay.header("idempotent-replayed") == "true");
    CHECK(backend.post(path, asked(), headers).status == 422);
    CHECK(f.world.postgres.query("SELECT count(*) FROM broadcasts") == "1");
}

// --- reading, cancelling, webhooks

TEST_CASE("broadcasts are listed newest first", "[broadcast]")
{
    Fixture f;
    auto backend = f.world.as_backend();
    std::vector<std::string> made;
    for (int i = 0; i < 5; ++i)
        made.push_back(f.start());
    auto const all = all_items(backend, list_path, 2);
    REQUIRE(all.size() == 5);
    for (std::size_t i = 0; i < 5; ++i)
        CHECK(text(all[i], "broadcastId") == made[4 - i]);
    REQUIRE(f.completes(made[0]));
    auto const last = all_items(backend, list_path).back();
    CHECK(json::serialize(last) == json::serialize(f.shown(made[0])));
    CHECK(backend.get(std::string(list_path) + "?limit=0").status == 400);
    CHECK(backend.get(std::string(list_path) + "?cursor=x").status == 400);
    auto const absent = backend.get(std::string(list_path) + '/' + nothing);
    CHECK(absent.status == 404);
    CHECK(error_of(absent) == "NOT_FOUND");
    CHECK(f.world.as_backend("demo").get(std::string(list_path) + '/' + made[0]).status == 404);
    CHECK(f.world.as_backend("demo").get(list_path).json().at("items").as_array().empty());
}

TEST_CASE("when a broadcast is cancelled, waiting devices fail and get no push", "[broadcast]")
{
    Fixture f({{"BROADCAST_CHUNK", "3"}});
    f.new_devices(4, "ok:", "ios");
    f.new_devices(6, "PERMISSION_DENIED:");
    auto const id = f.start();
    REQUIRE(eventually([&] {
        return f.world.postgres.query("SELECT sum(cardinality(waiting_ids)) FROM broadcast_chunks") == "6";
    }));
    REQUIRE(f.counts(id, "10 4 0 0"));
    auto backend = f.world.as_backend();
    auto const cancel = std::string(list_path) + '/' + id + "/cancel";
    auto const r = backend.post(cancel, "");
    INFO(r.body);
    REQUIRE(r.status == 200);
    CHECK(text(r.json(), "cancelledAt") == core::to_rfc3339(f.world.clock.now()));
    CHECK(text(r.json(), "status") == "fanned_out");
    CHECK(backend.post(cancel, "").status == 409);
    REQUIRE(f.completes(id));
    CHECK(counters(f.broadcast(id)) == "10 4 6 0");
    CHECK(backend.post(cancel, "").status == 409);
    CHECK(backend.post(std::string(list_path) + '/' + nothing + "/cancel", "").status == 404);
    CHECK(f.tidy());
    auto const audit = backend.get("/v1/audit?action=broadcast.cancelled").json();
    CHECK(audit.at("items").as_array().size() == 1);
    auto const starts = backend.get("/v1/audit?action=broadcast.created").json();
    REQUIRE(starts.at("items").as_array().size() == 1);
    auto const& start = starts.at("items").at(0);
    CHECK(text(start, "subjectId") == id);
    CHECK(text(start.at("after"), "templateName") == "news");
    // A new credential does not cause further pushes of the cancelled broadcast.
    auto const before = f.fcm.pushes();
    f.fcm.script({{"all", "ok"}});
    f.world.put_fcm();
    f.world.new_device(ada, "ok:direct");
    REQUIRE(
        f.world.becomes(f.world.send({{"templateName", "news"}, {"channel", "push"}, {"to", ada}}), "sent"));
    CHECK(f.fcm.pushes() == before + 1);
}

TEST_CASE("when a broadcast is cancelled, pushes in flight are counted by their outcome", "[broadcast]")
{
    Fixture f({{"BROADCAST_CHUNK", "2"}});
    f.new_devices(40, "ok:");
    f.fcm.script({{"delay", 300}});
    auto const id = f.start();
    REQUIRE(eventually([&] { return f.fcm.pushes() > 0; }));
    auto const r = f.world.as_backend().post(std::string(list_path) + '/' + id + "/cancel", "");
    REQUIRE(f.completes(id));
    auto const b = f.broadcast(id);
    CHECK((r.status == 200) == (text(b, "cancelledAt") != "null"));
    CHECK(number(b, "sentCount") == f.fcm.pushes());
    CHECK(number(b, "sentCount") + number(b, "failedCount") == number(b, "enqueuedDevices"));
    CHECK(number(b, "invalidTokenCount") == 0);
    CHECK(f.tidy());
}

TEST_CASE("a broadcast that is cancelled before it is cut into chunks is complete and reaches no device",
    "[broadcast]")
{
    Fixture f;
    f.new_devices(3, "ok:");
    // Postpones the job, so that the broadcast is cancelled first.
    f.world.postgres.query(R"(
        CREATE FUNCTION put_off() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.run_at := NEW.run_at
            + interval '1 hour'; RETURN NEW; END $$; CREATE TRIGGER put_off BEFORE INSERT ON jobs FOR
            EACH ROW
            WHEN (NEW.queue = 'notify.broadcast') EXECUTE FUNCTION put_off())");
    auto const id = f.start();
    auto const r = f.world.as_backend().post(std::string(list_path) + '/' + id + "/cancel", "");
    REQUIRE(r.status == 200);
    CHECK(text(r.json(), "status") == "fanned_out");
    CHECK(text(r.json(), "startedAt") == "null");
    CHECK(text(r.json(), "completedAt") == text(r.json(), "cancelledAt"));
    f.world.clock.advance(1h);
    CHECK(f.tidy());
    CHECK(counters(f.broadcast(id)) == "0 0 0 0");
    CHECK(f.fcm.pushes() == 0);
}

TEST_CASE("broadcast.completed is published once", "[broadcast]")
{
    Fixture f({{"BROADCAST_CHUNK", "2"}});
    auto backend = f.world.as_backend();
    REQUIRE(backend.post("/v1/webhooks", R"({"url":"http://127.0.0.1:9/"})").status == 201);
    f.new_devices(20, "ok:");
    auto const id = f.start();
    REQUIRE(f.completes(id));
    auto const empty = f.start(); // published even without devices
    REQUIRE(f.completes(empty));
    auto const announced = [&](std::string const& of) {
        return f.world.postgres.query(R"(
            SELECT string_agg(event_type, ' ')
            FROM webhook_deliveries
            WHERE payload::jsonb -> 'data' ->> 'broadcastId' = ')" +
                                      of + "'");
    };
    CHECK(announced(id) == "broadcast.completed");
    CHECK(announced(empty) == "broadcast.completed");
    auto const payload = json::parse(
        f.world.postgres.query("SELECT payload FROM webhook_deliveries WHERE payload LIKE '%" + id + "%'"));
    CHECK(payload.at("data") == f.shown(id));
}

TEST_CASE("a suspended tenant's broadcast continues when the tenant is active again", "[broadcast]")
{
    Fixture f;
    f.world.new_device(ada, "INTERNAL-once:1");
    auto const id = f.start();
    REQUIRE(eventually([&] { return f.fcm.pushes() == 1; }));
    auto master = f.world.as_master();
    auto const put = [&](std::string const& status) {
        REQUIRE(master.put("/v1/admin/tenants/demo", body({{"displayName", "Demo"}, {"status", status}}))
                    .status == 200);
    };
    auto const seen_by_backend = [&] { return f.world.as_backend().get(list_path).status; };
    put("suspended");
    REQUIRE(eventually([&] { return seen_by_backend() == 403; }));
    f.go_on();
    f.put_off(); // postponed until the next check of the tenant
    CHECK(f.fcm.pushes() == 1);
    put("active");
    REQUIRE(eventually([&] { return seen_by_backend() == 200; }));
    f.go_on();
    REQUIRE(f.completes(id));
    CHECK(f.fcm.pushes() == 2);
}
