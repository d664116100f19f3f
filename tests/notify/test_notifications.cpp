#include "notifications.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace notified;

TEST_CASE("GET returns the status, times and failure of a notification", "[notify]")
{
    World world;
    make_templates(world);
    auto const id = queued(world);
    auto const n = world.notification(id);
    CHECK(text(n, "notificationId") == id);
    CHECK(text(n, "status") == "queued");
    CHECK(text(n, "channel") == "email");
    CHECK(text(n, "templateName") == "mail");
    CHECK(text(n, "to") == "ada@example.com");
    CHECK(n.at("attempts") == 0);
    CHECK(core::parse_rfc3339(text(n, "createdAt")));
    CHECK(text(n, "sendAt") == core::to_rfc3339(world.clock.now() + 24h));
    for (auto const* absent : {"sentAt", "deliveredAt", "openedAt", "failedAt", "failureReason"})
        CHECK(n.at(absent).is_null());

    auto const push = world.notification(failed(world));
    CHECK(text(push, "failureReason") == "NO_DEVICES");
    CHECK(text(push, "failedAt") == core::to_rfc3339(world.clock.now()));
    CHECK(push.at("deliveries") == array());
}

TEST_CASE("GET returns a push with the state of each delivery", "[notify]")
{
    World world;
    make_templates(world);
    world.new_device(ada, "token-1", "android");
    world.new_device(ada, "token-2", "web");
    auto const id = world.send({{"templateName", "ping"}, {"channel", "push"}, {"to", ada}});
    auto const deliveries = [&] {
        auto const n = world.notification(id);
        return n.at("deliveries").as_array();
    };
    // The carriers are down, so the push is untried and waits.
    REQUIRE(eventually([&] { return deliveries().size() == 2; }));
    for (auto const& delivery : deliveries()) {
        CHECK(text(delivery, "status") == "pending");
        CHECK(delivery.at("attempts") == 0);
        CHECK_FALSE(delivery.at("reason").is_null());
    }
    CHECK(text(deliveries()[0], "token") == "token-1");
    CHECK(text(deliveries()[0], "platform") == "android");
    CHECK(text(deliveries()[1], "token") == "token-2");
    // Lists do not contain the deliveries.
    auto const page = world.as_backend().get("/v1/notifications").json();
    CHECK_FALSE(page.at("notifications").at(0).as_object().contains("deliveries"));
}

TEST_CASE("unknown ids and ids of another scope get the same 404", "[notify]")
{
    World world;
    make_templates(world);
    auto const id = queued(world);

    struct Call {
        char const* method;
        char const* rest;
    };

    for (auto const& call : {Call{"GET", ""}, Call{"GET", "/events"}, Call{"POST", "/cancel"},
             Call{"POST", "/retry"}, Call{"POST", "/opened"}}) {
        INFO(call.method << ' ' << call.rest);
        for (std::string const tenant : {"demo", "other-sandbox"}) {
            auto stranger = world.as_backend(tenant);
            auto const r = stranger.request(call.method, path_of(id, call.rest));
            auto const never = stranger.request(call.method, path_of(unknown_id, call.rest));
            CHECK(r.status == 404);
            CHECK(testing::without_request_id(r) == testing::without_request_id(never));
        }
        CHECK(world.as_backend().request(call.method, path_of("nope", call.rest)).status == 404);
    }
    CHECK(text(world.notification(id), "status") == "queued");
}

TEST_CASE("the list is paged, newest first, and filtered", "[notify]")
{
    World world;
    make_templates(world);
    auto backend = world.as_backend();
    std::vector<std::string> ids; // newest first
    auto const add = [&](std::string const& id) { ids.insert(ids.begin(), id); };
    auto const number = "+14155550100";
    add(queued(world));
    add(queued(world, {{"to", "bob@example.com"}}));
    add(queued(world, {{"templateName", "code"}, {"channel", "sms"}, {"to", number}}));
    add(failed(world));
    add(sent(world));

    auto const walk = [&](std::string const& filter, int limit = 2) {
        std::vector<std::string> found;
        std::string cursor;
        while (cursor != "null") {
            auto const r = backend.get("/v1/notifications?limit=" + std::to_string(limit) + filter +
                                       (cursor.empty() ? "" : "&cursor=" + cursor));
            INFO(r.body);
            REQUIRE(r.status == 200);
            auto const page = r.json();
            CHECK(page.as_object().size() == 2);
            auto const& items = page.at("notifications").as_array();
            CHECK(items.size() <= static_cast<std::size_t>(limit));
            for (auto const& item : items)
                found.push_back(text(item, "notificationId"));
            cursor = text(page, "nextCursor");
        }
        return found;
    };
    auto const some = [&](std::initializer_list<std::size_t> places) {
        std::vector<std::string> found;
        for (auto const place : places)
            found.push_back(ids[place]);
        return found;
    };
    for (int const limit : {1, 2, 5, 20, 21, 100})
        CHECK(walk("", limit) == ids);
    CHECK(walk("&status=queued") == some({2, 3, 4}));
    CHECK(walk("&status=failed") == some({1}));
    CHECK(walk("&status=opened").empty());
    CHECK(walk("&channel=email") == some({0, 3, 4}));
    CHECK(walk("&channel=sms") == some({2}));
    CHECK(walk("&to=ada%40example.com") == some({0, 4}));
    for (auto const* same : {"ada%40EXAMPLE.com", "ada%40EXAMPLE.com&channel=email"})
        CHECK(walk(std::string("&to=") + same) == some({0, 4}));
    CHECK(walk("&to=ADA%40example.com").empty()); // only the receiving server knows whether the case matters
    CHECK(walk("&to=ada%40EXAMPLE.com&channel=push").empty());
    CHECK(walk("&to=%2B14155550100") == some({2}));
    CHECK(walk("&status=queued&channel=email&to=bob%40example.com") == some({3}));
    auto const third = text(world.notification(ids[2]), "createdAt");
    CHECK(walk("&createdAfter=2020-01-01T00:00:00Z") == ids);
    CHECK(walk("&createdAfter=2999-01-01T00:00:00Z").empty());
    auto const later = walk("&createdAfter=" + third);
    CHECK(std::find(later.begin(), later.end(), ids[2]) == later.end());
    for (auto const& id : later)
        CHECK(text(world.notification(id), "createdAt") > third);

    auto const cursor = text(backend.get("/v1/notifications?limit=1").json(), "nextCursor");
    auto const faults = [&](std::string const& query) {
        auto const r = backend.get("/v1/notifications?" + query);
        CHECK(r.status == 400);
        return faults_of(r);
    };
    CHECK(backend.get("/v1/notifications?limit=3&cursor=" + cursor).status == 200);
    CHECK(faults("status=queued&cursor=" + cursor) == "?cursor invalid_cursor");
    CHECK(faults("cursor=nonsense") == "?cursor invalid_cursor");
    CHECK(faults("limit=0") == "?limit range");
    CHECK(faults("limit=101") == "?limit range");
    CHECK(faults("status=Queued") == "?status not_allowed");
    CHECK(faults("channel=fax") == "?channel not_allowed");
    CHECK(faults("createdAfter=yesterday") == "?createdAfter format");
    CHECK(world.as_backend("demo").get("/v1/notifications").json().at("notifications") == array());
}

TEST_CASE("the history contains every status change, newest first", "[notify]")
{
    World world;
    make_templates(world);
    listen(world);
    auto const id = sent(world);
    CHECK(results(ack(world, {{{"id", id}, {"context", "background"}}})) == "1: delivered");
    CHECK(world.as_backend().post(path_of(id, "/opened"), "").status == 200);
    CHECK(history(world, id) == "opened delivered sent queued");
    CHECK(announced(world, id) == "notification.sent notification.delivered notification.opened");
    auto const events = world.as_backend().get(path_of(id, "/events")).json();
    CHECK(events.at("cursor").is_null());
    CHECK(text(events.at("items").at(1), "detail") == "background");
    CHECK(text(events.at("items").at(1), "at") == core::to_rfc3339(world.clock.now()));
    CHECK(text(events.at("items").at(3), "at") == text(world.notification(id), "createdAt"));
    auto backend = world.as_backend();
    auto const first = backend.get(path_of(id, "/events?limit=1")).json();
    auto const other = sent(world);
    CHECK(backend.get(path_of(other, "/events?cursor=") + text(first, "cursor")).status == 400);
}

TEST_CASE("a queued notification can be cancelled and is then never sent", "[notify]")
{
    World world;
    make_templates(world);
    listen(world);
    auto backend = world.as_backend();
    auto const id = queued(world), other = queued(world);
    auto const r = backend.post(path_of(id, "/cancel"), "");
    INFO(r.body);
    REQUIRE(r.status == 200);
    CHECK(text(r.json(), "status") == "failed");
    CHECK(text(r.json(), "failureReason") == "CANCELLED");
    CHECK(text(r.json(), "failedAt") == core::to_rfc3339(world.clock.now()));
    CHECK(r.json() == world.notification(id));
    CHECK(history(world, id) == "failed queued");
    CHECK(announced(world, id) == "notification.failed");
    auto const again = backend.post(path_of(id, "/cancel"), "");
    CHECK(again.status == 409);
    CHECK(error_of(again) == "CONFLICT");
    auto const audit = backend.get("/v1/audit?action=notification.cancelled").json();
    REQUIRE(audit.at("items").as_array().size() == 1);
    CHECK(text(audit.at("items").at(0), "subjectId") == id);

    world.clock.advance(24h);
    REQUIRE(world.becomes(other, "sent"));
    CHECK(world.mails().size() == 1);
    CHECK(text(world.notification(id), "status") == "failed");
    CHECK(backend.post(path_of(other, "/cancel"), "").status == 409);
    CHECK(text(world.notification(other), "status") == "sent");
}

TEST_CASE("a notification that a worker is sending cannot be cancelled", "[notify]")
{
    World world;
    make_templates(world);
    auto const id = queued(world);
    // Claims the job like a worker of another process.
    world.postgres.query(R"(
        UPDATE jobs
        SET lease_owner = gen_random_uuid(), run_at = now() + interval '1 day'
        WHERE ref = ')" + id +
                         "'");
    auto const r = world.as_backend().post(path_of(id, "/cancel"), "");
    CHECK(r.status == 409);
    CHECK(text(world.notification(id), "status") == "queued");
    CHECK(world.postgres.query("SELECT count(*) FROM jobs WHERE ref = '" + id + "'") == "1");
}

TEST_CASE("cancelling a push ends its pending deliveries", "[notify]")
{
    World world;
    make_templates(world);
    world.new_device(ada, "token-1");
    auto const id = world.send({{"templateName", "ping"}, {"channel", "push"}, {"to", ada}});
    auto backend = world.as_backend();
    // The request succeeds when the first attempt is over.
    REQUIRE(eventually([&] { return backend.post(path_of(id, "/cancel"), "").status == 200; }));
    auto const n = world.notification(id);
    CHECK(text(n, "failureReason") == "CANCELLED");
    for (auto const& delivery : n.at("deliveries").as_array()) {
        CHECK(text(delivery, "status") == "failed");
        CHECK(text(delivery, "reason") == "CANCELLED");
    }
    CHECK(world.postgres.query("SELECT count(*) FROM jobs WHERE ref = '" + id + "'") == "0");
}

TEST_CASE("only a failed notification can be retried", "[notify]")
{
    World world;
    make_templates(world);
    auto backend = world.as_backend();
    auto const id = failed(world);
    auto const waiting = queued(world), done = sent(world);
    for (auto const& other : {waiting, done}) {
        auto const r = backend.post(path_of(other, "/retry"), "");
        CHECK(r.status == 409);
        CHECK(error_of(r) == "CONFLICT");
    }
    world.clock.advance(2h); // long after the hour within which attempts are repeated
    auto const r = backend.post(path_of(id, "/retry"), "");
    INFO(r.body);
    REQUIRE(r.status == 202);
    CHECK(text(r.json(), "status") == "queued");
    CHECK(r.json().at("failureReason").is_null());
    CHECK(r.json().at("failedAt").is_null());
    CHECK(r.json().at("attempts") == 0);
    REQUIRE(world.becomes(id, "failed")); // the user still has no device
    CHECK(history(world, id) == "failed queued failed queued");
    CHECK(text(world.notification(id), "failedAt") == core::to_rfc3339(world.clock.now()));
    CHECK(backend.get("/v1/audit?action=notification.retried").json().at("items").as_array().size() == 1);

    // A cancelled notification that is retried keeps its `sendAt`.
    REQUIRE(backend.post(path_of(waiting, "/cancel"), "").status == 200);
    REQUIRE(backend.post(path_of(waiting, "/retry"), "").status == 202);
    CHECK(text(world.notification(waiting), "status") == "queued");
    world.clock.advance(24h);
    CHECK(world.becomes(waiting, "sent"));
}

TEST_CASE("only keys and staff may read and report notifications", "[notify]")
{
    World world;
    make_templates(world);
    auto const id = sent(world);

    struct Call {
        char const* method;
        std::string path;
        std::optional<std::string> body = std::nullopt;
    };

    std::vector<Call> const calls{{"GET", "/v1/notifications"}, {"GET", path_of(id)},
        {"GET", path_of(id, "/events")}, {"POST", path_of(id, "/opened")},
        {"POST", "/v1/notifications/ack", body({{"notifications", array{object{{"id", id}}}}})}};
    for (auto const& call : calls) {
        INFO(call.method << ' ' << call.path);
        auto const status = [&](testing::HttpClient client) {
            return client.request(call.method, call.path, {}, call.body).status;
        };
        CHECK(status(world.as_backend()) == 200);
        CHECK(status(world.as_master()) == 200);
        CHECK(status(world.as_user(ada, "owner")) == 200);
        CHECK(status(world.as_user(ada, "admin")) == 200);
        CHECK(status(world.as_user(ada, "user")) == 403);
        CHECK(status(world.as_app()) == 403);
        CHECK(status(world.client()) == 401);
    }
    for (auto const* rest : {"/cancel", "/retry"}) {
        CHECK(world.as_app().post(path_of(id, rest), "").status == 403);
        CHECK(world.as_user(ada, "user").post(path_of(id, rest), "").status == 403);
        CHECK(world.client().post(path_of(id, rest), "").status == 401);
    }
}

TEST_CASE("only managers can create and rotate keys, each kind separately", "[notify]")
{
    World world;
    auto const mint = R"({"environment":"sandbox","kind":"publishable"})";
    CHECK(world.as_backend().post("/v1/keys", mint).status == 403);
    CHECK(world.as_app().post("/v1/keys", mint).status == 403);
    CHECK(world.as_user(ada, "user").post("/v1/keys", mint).status == 403);
    for (auto const* role : {"admin", "owner"}) {
        auto const r = world.as_user(ada, role).post("/v1/keys", mint);
        REQUIRE(r.status == 201);
        CHECK(text(r.json(), "kind") == "publishable");
        CHECK(text(r.json(), "key").starts_with("pk_"));
    }
    auto const secret = world.key(), publishable = world.key("demo-sandbox", "publishable");
    CHECK(secret.starts_with("ntf_"));
    auto owner = world.as_user(ada, "owner");
    auto const r = owner.post("/v1/keys/sandbox/rotate-publishable", "");
    REQUIRE(r.status == 201);
    CHECK(text(r.json(), "key").starts_with("pk_"));
    auto old_app = world.with(publishable);
    CHECK(eventually([&] { return old_app.del("/v1/devices/none").status == 401; }));
    CHECK(world.with(text(r.json(), "key")).del("/v1/devices/none").status == 404);
    CHECK(world.with(secret).get("/v1/notifications").status == 200);
    auto const rotated = owner.post("/v1/keys/sandbox/rotate", "");
    REQUIRE(rotated.status == 201);
    CHECK(text(rotated.json(), "key").starts_with("ntf_"));
    auto old_backend = world.with(secret);
    CHECK(eventually([&] { return old_backend.get("/v1/notifications").status == 401; }));
}
