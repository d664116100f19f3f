#include "notifications.hpp"

#include <catch2/catch.hpp>

using namespace notified;

TEST_CASE("the response to an acknowledgement contains the result of each item", "[notify]")
{
    World world;
    make_templates(world);
    auto const a = sent(world), b = sent(world);
    auto const elsewhere = [&] {
        auto const r = world.as_backend("demo").post(
            "/v1/notifications/send", R"({"templateName":"mail","channel":"email","to":"ada@example.com"})");
        REQUIRE(r.status == 202);
        return text(r.json(), "notificationId");
    }();
    auto const r = ack(world, {{{"id", a}}, {{"id", unknown_id}}, {{"id", b}}, {{"id", a}},
                                  {{"id", "not an id"}}, {{"id", elsewhere}}});
    CHECK(results(r) == "2: delivered unknown delivered already unknown unknown");
    CHECK(text(r.json().at("results").at(4), "id") == "not an id");
    CHECK(results(ack(world, {{{"id", b}}, {{"id", a}}})) == "0: already already");
    CHECK(text(world.notification(a), "status") == "delivered");
    CHECK(text(world.notification(a), "deliveredAt") == core::to_rfc3339(world.clock.now()));
    CHECK(text(world.notification(elsewhere, "demo"), "status") != "delivered");
    CHECK(history(world, a) == "delivered sent queued");
}

TEST_CASE("the delivery time that a device reports is used within limits", "[notify]")
{
    World world;
    make_templates(world);
    world.clock.advance(1h); // long after the acceptance
    auto const then = core::to_rfc3339(world.clock.now() - 1min);
    auto const future = core::to_rfc3339(world.clock.now() + 1h);
    auto const a = sent(world), b = sent(world), c = sent(world);
    auto const at = [](std::string const& id, std::string const& time) {
        return object{{"id", id}, {"timestamp", time}};
    };
    CHECK(results(ack(world, {at(a, then), at(b, future), at(c, "2001-01-01T00:00:00Z")})) ==
          "3: delivered delivered delivered");
    CHECK(text(world.notification(a), "deliveredAt") == then);
    CHECK(text(world.notification(b), "deliveredAt") == core::to_rfc3339(world.clock.now()));
    CHECK(text(world.notification(c), "deliveredAt") == text(world.notification(c), "createdAt"));
}

TEST_CASE("an acknowledgement has 1 to 100 items, each with an id", "[notify]")
{
    World world;
    auto backend = world.as_backend();
    auto const faults = [&](std::string const& sent) {
        auto const r = backend.post("/v1/notifications/ack", sent);
        INFO(r.body);
        CHECK(r.status == 400);
        return faults_of(r);
    };
    CHECK(faults("{}") == "/notifications required");
    CHECK(faults(R"({"notifications":[]})") == "/notifications required");
    CHECK(faults(R"({"notifications":{}})") == "/notifications type");
    CHECK(faults(body({{"notifications", array(101, object{{"id", unknown_id}})}})) ==
          "/notifications too_many");
    CHECK(faults(R"({"notifications":[{"id":"x"},{},7,{"id":1}]})") ==
          "/notifications/1/id required\n/notifications/2 type\n/notifications/3/id type");
    CHECK(faults(R"({"notifications":[{"id":"x","timestamp":"yesterday","context":5}]})") ==
          "/notifications/0/context type\n/notifications/0/timestamp format");
    auto const most = backend.post(
        "/v1/notifications/ack", body({{"notifications", array(100, object{{"id", unknown_id}})}}));
    CHECK(most.status == 200);
    CHECK(most.json().at("results").as_array().size() == 100);
}

TEST_CASE("a notification that is opened counts as delivered too", "[notify]")
{
    World world;
    make_templates(world);
    listen(world);
    auto backend = world.as_backend();
    auto const id = sent(world);
    auto const r = backend.post(path_of(id, "/opened"), "");
    REQUIRE(r.status == 200);
    auto const now = core::to_rfc3339(world.clock.now());
    CHECK(text(r.json(), "status") == "opened");
    CHECK(text(r.json(), "openedAt") == now);
    CHECK(text(r.json(), "deliveredAt") == now);
    CHECK(r.json() == world.notification(id));
    CHECK(history(world, id) == "opened delivered sent queued");
    CHECK(announced(world, id) == "notification.sent notification.delivered notification.opened");

    world.clock.advance(1min);
    auto const again = backend.post(path_of(id, "/opened"), "");
    CHECK(again.status == 200);
    CHECK(again.json() == r.json());
    CHECK(results(ack(world, {{{"id", id}}})) == "0: already");
    CHECK(history(world, id) == "opened delivered sent queued");
}

TEST_CASE("a notification that was acknowledged or opened is no longer sent", "[notify]")
{
    World world;
    make_templates(world);
    auto const acked = queued(world), opened = queued(world), other = queued(world);
    CHECK(results(ack(world, {{{"id", acked}}})) == "1: delivered");
    CHECK(world.as_backend().post(path_of(opened, "/opened"), "").status == 200);
    CHECK(world.postgres.query("SELECT string_agg(ref::text, ' ') FROM jobs WHERE queue LIKE 'notify.%'") ==
          other);
    world.clock.advance(24h);
    REQUIRE(world.becomes(other, "sent"));
    CHECK(world.mails().size() == 1);
    CHECK(text(world.notification(acked), "status") == "delivered");
    CHECK(text(world.notification(opened), "status") == "opened");
    CHECK(history(world, acked) == "delivered queued");
    CHECK(history(world, opened) == "opened delivered queued");
}

TEST_CASE("an acknowledgement or opening undoes the failure of a notification", "[notify]")
{
    World world;
    make_templates(world);
    auto const id = failed(world), other = failed(world);
    CHECK(results(ack(world, {{{"id", id}}})) == "1: delivered");
    auto const n = world.notification(id);
    CHECK(text(n, "status") == "delivered");
    CHECK(n.at("failureReason").is_null());
    CHECK(n.at("failedAt").is_null());
    CHECK(history(world, id) == "delivered failed queued");
    CHECK(world.as_backend().post(path_of(other, "/opened"), "").status == 200);
    CHECK(text(world.notification(other), "status") == "opened");
    CHECK(world.as_backend().post(path_of(id, "/retry"), "").status == 409);
}
