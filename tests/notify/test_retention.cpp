#include "crypto/encoding.hpp"
#include "notifications.hpp"
#include "pg/database.hpp"
#include "workers/retention.hpp"

using namespace notified;
using boost::json::array, boost::json::object;

namespace {

/// Runs the purge to its end, as the service's task does.
void purge(World const& world)
{
    pg::Database db({.url = world.postgres.service_url(), .threads = 1});
    observe::Metrics metrics("notify");
    notify::RetentionPurge task(db, world.clock, metrics);
    while (task.step()) {
    }
}

/// Subject, body and data as stored.
std::string content_of(World const& world, std::string const& id)
{
    return world.postgres.query(
        "SELECT concat_ws(' ', subject, body, data) FROM notifications WHERE notification_id = '" + id + "'");
}

std::string count(World const& world, std::string const& what)
{
    return world.postgres.query("SELECT count(*) FROM " + what);
}

bool exists(World const& world, std::string const& id)
{
    return world.as_backend().get(path_of(id)).status == 200;
}

/// Cancels a queued notification, which then has the status `failed`.
std::string cancelled(World const& world, object more = {})
{
    auto const id = queued(world, std::move(more));
    require(200, world.as_backend().post(path_of(id, "/cancel"), ""));
    return id;
}

object file(std::string const& name = "a.txt")
{
    return {{"filename", name}, {"contentType", "text/plain"}, {"content", crypto::base64::encode("bytes")}};
}

std::string uploaded(World const& world)
{
    auto backend = world.as_backend();
    auto const presigned =
        require(201, backend.post("/v1/attachments/presign",
                         body({{"filename", "report.txt"}, {"contentType", "text/plain"}, {"sizeBytes", 5}})))
            .json();
    auto const url = text(presigned, "uploadUrl");
    require(200, backend.put(url.substr(url.find("/uploads/")), "bytes", {{"Content-Type", "text/plain"}}));
    return text(presigned, "attachmentId");
}

/// Makes notifications older than they are.
void age(World const& world, std::string const& id, int days)
{
    world.postgres.query("UPDATE notifications SET created_at = created_at - interval '" +
                         std::to_string(days) + " days', queued_at = queued_at - interval '" +
                         std::to_string(days) + " days' WHERE notification_id = '" + id + "'");
}

} // namespace

TEST_CASE("the content of a finished notification is erased after 7 days", "[retention]")
{
    World world;
    make_templates(world);
    auto const done = sent(world);
    auto const push = world.send({{"templateName", "ping"}, {"channel", "push"}, {"to", "nobody"},
        {"data", object{{"code", "1234"}}}});
    REQUIRE(world.becomes(push, "failed"));
    auto const waiting = queued(world, {{"sendAt", core::to_rfc3339(world.clock.now() + 20 * 24h)}});
    REQUIRE(content_of(world, push) == R"(A subject A body {"code":"1234"})");

    world.clock.advance(7 * 24h - 1min);
    purge(world);
    CHECK(content_of(world, done) == "A subject A body");
    world.clock.advance(2min);
    purge(world);
    for (auto const& id : {done, push})
        CHECK(content_of(world, id) == " ");
    CHECK(content_of(world, waiting) == "A subject A body");

    // The notification, its status and its history stay.
    CHECK(text(world.notification(done), "status") == "sent");
    CHECK(text(world.notification(push), "failureReason") == "NO_DEVICES");
    CHECK(history(world, push) == "failed queued");
}

TEST_CASE("a failed notification whose content was erased cannot be retried", "[retention]")
{
    World world;
    make_templates(world);
    auto const id = failed(world);
    auto backend = world.as_backend();
    world.clock.advance(7 * 24h - 1min);
    purge(world);
    require(202, backend.post(path_of(id, "/retry"), ""));
    REQUIRE(world.becomes(id, "failed"));
    world.clock.advance(24h); // the days count from the last failure
    purge(world);
    CHECK(content_of(world, id) == "A subject A body");

    world.clock.advance(6 * 24h + 1min);
    purge(world);
    auto const refused = backend.post(path_of(id, "/retry"), "");
    CHECK(refused.status == 409);
    CHECK(error_of(refused) == "CONFLICT");
    CHECK_THAT(refused.body, Catch::Contains("its content was erased"));
    CHECK(text(world.notification(id), "status") == "failed");
    CHECK(count(world, "jobs WHERE queue = 'notify.push'") == "0");
}

TEST_CASE("inline files of a failed email are erased with its content", "[retention]")
{
    World world;
    make_templates(world);
    auto const id = cancelled(world, {{"attachments", array{file(), file("b.txt")}}});
    REQUIRE(count(world, "notification_attachments WHERE content IS NOT NULL") == "2");
    world.clock.advance(7 * 24h + 1min);
    purge(world);
    CHECK(count(world, "notification_attachments") == "0");
    CHECK(content_of(world, id) == " ");
}

TEST_CASE("notifications are deleted after the days of the setting", "[retention]")
{
    World world;
    make_templates(world);
    require(200, world.as_backend().patch("/v1/settings", R"({"notificationRetentionDays":2})"));
    auto const done = sent(world);
    auto const push = failed(world);
    auto const waiting = queued(world, {{"sendAt", core::to_rfc3339(world.clock.now() + 20 * 24h)}});
    world.new_template("here", {{"channel", "sms"}});
    auto const elsewhere =
        world.send({{"templateName", "mail"}, {"channel", "email"}, {"to", "bob@example.com"}}, "demo");
    REQUIRE(world.becomes(elsewhere, "sent", "demo"));

    world.clock.advance(47h);
    purge(world);
    CHECK(exists(world, done));
    world.clock.advance(2h);
    purge(world);
    CHECK_FALSE(exists(world, done));
    CHECK_FALSE(exists(world, push));
    CHECK(exists(world, waiting));
    CHECK(text(world.notification(elsewhere, "demo"), "status") == "sent");
    CHECK(count(world, "notification_events WHERE scope_id = " + world.scope_id()) == "0");

    // The default is 90 days.
    world.clock.advance(90 * 24h - 50h);
    purge(world);
    CHECK(text(world.notification(elsewhere, "demo"), "status") == "sent");
    world.clock.advance(2h);
    purge(world);
    CHECK(world.as_backend("demo").get(path_of(elsewhere)).status == 404);
}

TEST_CASE("a notification that was queued again, or still has a job, is kept", "[retention]")
{
    World world;
    make_templates(world);
    auto const retried = failed(world);
    auto const working = sent(world);
    for (auto const& id : {retried, working})
        age(world, id, 91);
    require(202, world.as_backend().post(path_of(retried, "/retry"), ""));
    REQUIRE(world.becomes(retried, "failed"));
    auto const job = "scope_id = " + world.scope_id() + " AND ref = '" + working + "'";
    world.postgres.query("INSERT INTO jobs (scope_id, queue, ref, run_at) VALUES (" + world.scope_id() +
                         ", 'notify.email', '" + working + "', 'infinity')");
    purge(world);
    CHECK(exists(world, retried));
    CHECK(exists(world, working));
    world.clock.advance(8 * 24h);
    purge(world);
    CHECK(content_of(world, working) == "A subject A body");
    world.postgres.query("DELETE FROM jobs WHERE " + job);
    purge(world);
    CHECK_FALSE(exists(world, working));
    CHECK(exists(world, retried));
}

TEST_CASE("an upload is deleted with the last notification that uses it", "[retention]")
{
    World world;
    make_templates(world);
    auto const shared = uploaded(world), single = uploaded(world);
    auto const with = [&](std::string const& upload) { return object{{"attachmentId", upload}}; };
    auto const old = cancelled(world, {{"attachments", array{with(shared), with(single), file()}}});
    auto const recent = cancelled(world, {{"attachments", array{with(shared)}}});
    age(world, old, 91);
    purge(world);
    CHECK_FALSE(exists(world, old));
    CHECK(exists(world, recent));
    CHECK(count(world, "notification_attachments") == "1");
    CHECK(world.as_backend().get("/v1/attachments/" + shared).status == 200);
    CHECK(world.as_backend().get("/v1/attachments/" + single).status == 404);
}

TEST_CASE("broadcasts lose their content after 7 days, and are deleted with their claims after the days of "
          "the setting",
    "[retention]")
{
    World world;
    make_templates(world);
    auto backend = world.as_backend();
    auto const start = [&](std::string const& key) {
        auto const r =
            require(202, backend.post("/v1/notifications/broadcast",
                             body({{"templateName", "ping"}, {"channel", "push"}, {"dedupeKey", key}})));
        return text(r.json(), "broadcastId");
    };
    auto const path = [](std::string const& id) { return "/v1/notifications/broadcasts/" + id; };
    auto const done = start("a");
    REQUIRE(eventually([&] { return text(backend.get(path(done)).json(), "completedAt") != "null"; }));
    auto const open = start("b");
    REQUIRE(eventually([&] { return text(backend.get(path(open)).json(), "completedAt") != "null"; }));
    world.postgres.query("UPDATE broadcasts SET completed_at = NULL WHERE broadcast_id = '" + open + "'");
    auto const content = [&](std::string const& id) {
        return world.postgres.query(
            "SELECT concat_ws(' ', title, body) FROM broadcasts WHERE broadcast_id = '" + id + "'");
    };
    world.clock.advance(7 * 24h - 1min);
    purge(world);
    CHECK(content(done) == "A subject A body");
    world.clock.advance(1h);
    purge(world);
    CHECK(content(done) == " ");
    CHECK(content(open) == "A subject A body");
    CHECK(backend.get(path(done)).status == 200);
    CHECK(count(world, "broadcast_claims") == "2");

    world.clock.advance(84 * 24h);
    purge(world);
    CHECK(backend.get(path(done)).status == 404);
    CHECK(backend.get(path(open)).status == 200);
    CHECK(world.postgres.query("SELECT string_agg(dedupe_key, ',') FROM broadcast_claims") == "b");
}

TEST_CASE("the service purges by itself", "[retention]")
{
    World world;
    make_templates(world);
    auto const id = sent(world);
    world.clock.advance(8 * 24h);
    world.restart();
    CHECK(eventually([&] { return content_of(world, id) == " "; }));
}
