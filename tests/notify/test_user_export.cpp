#include "push_delivery.hpp"
#include "users.hpp"

using namespace users;

namespace {

using push_delivery_test::Fixture;

std::vector<json::object> exported(World const& world, std::string const& user = ada)
{
    auto const r = require(200, world.as_backend().get(path_of(user, "/export")));
    CHECK(r.header("content-type") == "application/x-ndjson");
    return lines_of(r);
}

} // namespace

TEST_CASE("an export contains the user's devices and notifications", "[users]")
{
    Fixture const f;
    World const& world = f.world;
    world.new_device(ada, "ok:1");
    world.new_device(ada, "ok:2", "ios");
    world.new_device(bob, "ok:3");
    world.new_template("note", {{"channel", "push"}, {"subject", "To {{name}}"}, {"body", "Hello {{name}}"}});
    auto const id = world.send({{"templateName", "note"}, {"channel", "push"}, {"to", ada},
        {"variables", json::object{{"name", "Ada"}}}, {"data", json::object{{"a \"key\"", "value"}}},
        {"push", json::object{{"link", "myapp://orders/7"}}}});
    REQUIRE(world.becomes(id, "sent"));
    REQUIRE(f.delivered(id, "ok:1", "sent"));
    REQUIRE(f.delivered(id, "ok:2", "sent"));
    REQUIRE(world.becomes(f.send(bob), "sent"));

    auto const lines = exported(world);
    REQUIRE(lines.size() == 3);
    auto backend = world.as_backend();
    auto const devices = all_items(backend, "/v1/devices?userId=" + std::string(ada));
    for (std::size_t i = 0; i < 2; ++i) {
        CHECK(lines[i].begin()->key() == "type");
        json::object expected{{"type", "device"}};
        expected.insert(devices[i].as_object().begin(), devices[i].as_object().end());
        expected["subscription"] = nullptr;
        CHECK(lines[i] == expected);
    }

    auto line = lines[2];
    CHECK(line.begin()->key() == "type");
    CHECK(text(line, "type") == "notification");
    CHECK(text(line, "subject") == "To Ada");
    CHECK(text(line, "body") == "Hello Ada");
    CHECK(text(line, "format") == "text");
    CHECK(line.at("data") == json::object{{"a \"key\"", "value"}});
    CHECK(line.at("push") == json::object{{"link", "myapp://orders/7"}});
    CHECK(line.at("attachments") == json::array());
    auto const& events = line.at("events").as_array();
    REQUIRE(events.size() == 1);
    CHECK(text(events[0], "status") == "sent");
    for (auto& delivery : line.at("deliveries").as_array()) {
        CHECK(text(delivery, "providerId") != "null");
        delivery.as_object().erase("providerId");
    }
    for (auto const* more :
        {"type", "subject", "body", "format", "data", "push", "attachments", "events", "providerId"})
        line.erase(more);
    CHECK(line == world.notification(id).as_object());
}

TEST_CASE("an export contains emails to a user whose id is an address", "[users]")
{
    World const world;
    world.new_template("mail", {{"format", "html"}, {"body", "<p>Hello</p>"}});
    std::string const user = "ada@example.com";
    world.send({{"templateName", "mail"}, {"channel", "email"}, {"to", user},
        {"sendAt", core::to_rfc3339(world.clock.now() + 1h)},
        {"attachments", json::array{json::object{{"filename", "a.txt"}, {"contentType", "text/plain"},
                            {"content", "aGVsbG8="}}}}});
    auto const lines = exported(world, user);
    REQUIRE(lines.size() == 1);
    CHECK(text(lines[0], "format") == "html");
    CHECK(lines[0].at("data").is_null());
    CHECK(lines[0].at("push").is_null());
    CHECK(lines[0].at("attachments") ==
          json::value(json::array{json::object{{"attachmentId", nullptr}, {"filename", "a.txt"},
              {"contentType", "text/plain"}, {"sizeBytes", 5}}}));
}

TEST_CASE("an export has all notifications, newest first", "[users]")
{
    World const world;
    add_notifications(world, ada, 250);
    // Few of these bodies fit into a page.
    world.postgres.query(
        "UPDATE notifications SET body = repeat('x', 400000) WHERE notification_id IN (SELECT "
        "notification_id FROM notifications ORDER BY created_at LIMIT 8)");
    auto const lines = exported(world);
    REQUIRE(lines.size() == 250);
    for (std::size_t i = 1; i < lines.size(); ++i)
        CHECK(text(lines[i - 1], "createdAt") >= text(lines[i], "createdAt"));
    std::set<std::string> ids;
    for (auto const& line : lines)
        ids.insert(text(line, "notificationId"));
    CHECK(ids.size() == 250);
    CHECK(text(lines.back(), "body").size() == 400'000);
    CHECK(lines.back().at("deliveries").as_array().size() == 2);
}

TEST_CASE("users export only their own data", "[users]")
{
    World const world;
    world.new_device(ada, "ok:1");
    CHECK(lines_of(require(200, world.as_user(ada).get(path_of(ada, "/export")))).size() == 1);
    CHECK(world.as_user(bob).get(path_of(ada, "/export")).status == 404);
    CHECK(world.as_user(bob).get(path_of("unknown", "/export")).status == 404);
    CHECK(world.as_app().get(path_of(ada, "/export")).status == 403);
    CHECK(lines_of(require(200, world.as_user(bob, "admin").get(path_of(ada, "/export")))).size() == 1);
    CHECK(require(200, world.as_master().get(path_of("unknown", "/export"))).body.empty());
    CHECK(world.as_user(ada).del(path_of(ada)).status == 403);
    CHECK(world.as_app().del(path_of(ada)).status == 403);
    CHECK(world.as_backend().del(path_of(std::string(256, 'x'))).status == 400);
}
