#include "crypto/encoding.hpp"
#include "pg/database.hpp"
#include "push_delivery.hpp"
#include "storage/suppressions.hpp"
#include "support/scope_rows.hpp"
#include "support/user_markers.hpp"
#include "users.hpp"

#include <atomic>
#include <thread>

using namespace users;

namespace {

using push_delivery_test::Fixture;

/// A text that occurs nowhere else. The user's id is an email address, because then emails belong to the
/// user.
constexpr char const* marker = "m4rk3r";
constexpr char const* marked_user = "m4rk3r@example.com";

/// The columns that contain nothing of a user, although they have a type that could.
std::set<std::string> const without_users = [] {
    auto columns = testing::library_columns_without_users();
    columns.insert({// about the user's data, but not chosen by the user
        "attachments.content_type", "attachments.parent_type", "attachments.state", "attachments.version",
        "audit_log.after", "audit_log.before", "devices.platform", "devices.web_key",
        "devices.web_subscription", // sealed; test_web_devices.cpp
        "notification_attachments.content_type", "notification_attachments.version",
        "notification_events.status", "notifications.channel", "notifications.status",
        "notifications.template_name", "notifications.traceparent", "push_deliveries.carrier",
        "broadcast_answers.carrier", "broadcast_chunks.carrier", "broadcast_gone.carrier",
        "push_deliveries.platform", "push_deliveries.status", "suppressions.channel", "suppressions.reason",
        "audit_log.subject_id",             // of objects that are no users, and pseudonyms
        "webhook_deliveries.other_user_id", // events of this service are about one user
        // broadcasts: the tenant's text for all users, and ids of devices
        "broadcast_chunks.waiting_ids", "broadcast_chunks.waiting_not_before",
        "broadcast_chunks.waiting_since", "broadcast_chunks.waiting_tries", "broadcast_claims.dedupe_key",
        "broadcasts.body", "broadcasts.dedupe_key", "broadcasts.push", "broadcasts.status",
        "broadcasts.template_name", "broadcasts.title", "broadcasts.traceparent",
        // set by the tenant's staff, for all users
        "domain_claims.domain", "email_domains.check_details", "email_domains.check_results",
        "email_domains.domain", "email_domains.from_email", "email_domains.from_name",
        "email_domains.public_key", "email_domains.sealed_key", "email_domains.selector",
        "email_domains.status", "email_domains.token", "platforms.bundle_id", "platforms.environment",
        "platforms.key_id", "platforms.kind", "platforms.paused_reason", "platforms.project_id",
        "platforms.public_key", "platforms.sealed_credential", "platforms.subject", "platforms.team_id",
        "templates.body", "templates.channel", "templates.format", "templates.name", "templates.push",
        "templates.subject"});
    return columns;
}();

/// Uploads a file as a member of staff. Returns its id.
std::string upload(testing::HttpClient& staff)
{
    std::string const bytes = std::string(marker) + " in a file";
    auto const presigned =
        require(201, staff.post("/v1/attachments/presign",
                         body({{"filename", std::string(marker) + ".txt"}, {"contentType", "text/plain"},
                             {"sizeBytes", bytes.size()}})));
    auto const url = text(presigned.json(), "uploadUrl");
    require(200, staff.put(url.substr(url.find("/uploads/")), bytes, {{"Content-Type", "text/plain"}}));
    return text(presigned.json(), "attachmentId");
}

/// An email to the user that waits, with an inline file and an upload.
std::string wait_with_files(World const& world, std::string const& to, std::string const& upload_id)
{
    json::object const file{{"filename", std::string(marker) + ".txt"}, {"contentType", "text/plain"},
        {"content", crypto::base64::encode(std::string(marker) + " inline")}};
    return world.send({{"templateName", "mail"}, {"channel", "email"}, {"to", to},
        {"variables", json::object{{"text", marker}}}, {"sendAt", core::to_rfc3339(world.clock.now() + 24h)},
        {"attachments", json::array{file, json::object{{"attachmentId", upload_id}}}}});
}

/// Writes the marker into everything that a user can fill.
void plant(Fixture const& f)
{
    World const& world = f.world;
    auto backend = world.as_backend();
    require(201, backend.post("/v1/webhooks", R"({"url":"http://127.0.0.1:9/"})"));
    world.new_template("note", {{"channel", "push"}, {"subject", "{{text}}"}, {"body", "{{text}}"}});
    world.new_template("mail", {{"subject", "{{text}}"}, {"body", "{{text}}"}});

    // A device that belonged to another user before.
    world.new_device(bob, "ok:m4rk3r");
    REQUIRE(world.becomes(f.send(bob), "sent"));
    require(201, backend.post("/v1/devices",
                     body({{"userId", marked_user}, {"token", "ok:m4rk3r"}, {"platform", "android"}}),
                     {{"Idempotency-Key", "a-device"}}));

    auto const id = world.send({{"templateName", "note"}, {"channel", "push"}, {"to", marked_user},
        {"variables", json::object{{"text", marker}}}, {"data", json::object{{"key", marker}}},
        {"push", json::object{{"sound", marker}}}});
    REQUIRE(world.becomes(id, "sent"));
    require(200, backend.post("/v1/notifications/ack",
                     body({{"notifications", json::array{json::object{{"id", id}, {"context", marker}}}}})));

    auto staff = world.as_user(marked_user, "admin");
    staff.set("X-Request-Id", marker);
    wait_with_files(world, marked_user, upload(staff));
    upload(staff); // is not attached
    require(200, staff.patch("/v1/settings", R"({"pushEnabled":true})"));
    require(201, staff.post("/v1/templates", R"({"name":"more","channel":"sms","subject":"","body":"x"})",
                     {{"Idempotency-Key", "a-template"}}));

    // What providers and receivers said.
    world.postgres.query(
        "UPDATE notifications SET provider_id = 'm4rk3r', failure_reason = CASE WHEN status = "
        "'failed' THEN 'm4rk3r' END WHERE recipient = 'm4rk3r@example.com'");
    world.postgres.query("UPDATE push_deliveries SET provider_id = 'm4rk3r', reason = 'm4rk3r' WHERE "
                         "notification_id = '" +
                         id + "'");
    world.postgres.query("UPDATE webhook_deliveries SET response_excerpt = 'm4rk3r' WHERE user_id = "
                         "'m4rk3r@example.com'");
    world.postgres.query(
        "INSERT INTO dead_jobs SELECT scope_id, 'notify.push', notification_id, 1, 'x', now() "
        "FROM notifications WHERE notification_id = '" +
        id + "'");
    for (std::string const address :
        {"sms', 'm4rk3r@example.com", "push', 'ok:m4rk3r", "email', 'm4rk3r@example.com"})
        world.postgres.query(
            "INSERT INTO suppressions (scope_id, channel, address, reason, created_at) VALUES (" +
            world.scope_id() + ", '" + address + "', '21610', now())");
}

/// All rows of a scope that callers write.
std::string rows_of(World const& world, std::string const& tenant)
{
    return testing::rows_of_scope(world.postgres, world.scope_id(tenant), testing::what_callers_do());
}

} // namespace

TEST_CASE("after the erasure nothing of the user is left", "[users]")
{
    Fixture const f;
    World const& world = f.world;
    plant(f);
    // A suppression whose removal is in the audit trail.
    require(200, world.as_backend().del("/v1/suppressions/m4rk3r@example.com"));
    world.postgres.query(
        "INSERT INTO suppressions (scope_id, channel, address, reason, created_at) VALUES (" +
        world.scope_id() + ", 'sms', 'm4rk3r@example.com', '21610', now())");
    auto const failed = world.send({{"templateName", "ping"}, {"channel", "push"}, {"to", marked_user},
        {"sendAt", core::to_rfc3339(world.clock.now() + 24h)}});
    require(200, world.as_backend().post("/v1/notifications/" + failed + "/cancel", ""));
    world.postgres.query("UPDATE notifications SET failure_reason = 'm4rk3r' WHERE status = 'failed'");

    auto const blobs = world.directory.path() + "/blobs";
    CHECK(testing::find_marked_files(blobs, marker).size() == 2);
    CHECK_FALSE(testing::find_marker(world.redis, marker).empty());
    testing::require_every_column_known(
        world.postgres, testing::find_marker(world.postgres, marker), without_users);

    erase(world, marked_user);

    CHECK(testing::find_marker(world.postgres, marker) == std::vector<testing::MarkedPlace>());
    CHECK(testing::find_marker(world.redis, marker) == std::vector<std::string>());
    CHECK(eventually([&] { return testing::find_marked_files(blobs, marker).empty(); }));
    CHECK(count(world, "jobs WHERE queue LIKE 'notify.%'") == "0");
    CHECK(count(world, "dead_jobs") == "0");
    CHECK(count(world, "suppressions WHERE hashed") == "2");
    CHECK(count(world, "notifications") == "1"); // to the user who had the device before
    CHECK(count(world, "push_deliveries WHERE token LIKE 'deleted:%'") == "1");
}

TEST_CASE("the erasure of a user changes nothing of other users and other scopes", "[users]")
{
    Fixture const f;
    World const& world = f.world;
    for (std::string const tenant : {"demo-sandbox", "demo", "other-sandbox"}) {
        if (tenant != "demo-sandbox") world.put_fcm(tenant);
        if (tenant == "other-sandbox") world.new_template("ping", {{"channel", "push"}}, tenant);
        world.new_device(ada, "ok:ada", "android", tenant);
        REQUIRE(world.becomes(f.send(ada, tenant), "sent", tenant));
    }
    world.new_device(bob, "ok:bob");
    REQUIRE(world.becomes(f.send(bob), "sent"));
    world.new_template("mail");
    REQUIRE(world.becomes(
        world.send({{"templateName", "mail"}, {"channel", "email"}, {"to", "ada@example.com"}}), "sent"));
    auto const production = rows_of(world, "demo"), other = rows_of(world, "other-sandbox");

    erase(world);
    erase(world); // may be repeated

    CHECK(rows_of(world, "demo") == production);
    CHECK(rows_of(world, "other-sandbox") == other);
    CHECK(f.devices() == 0);
    CHECK(f.devices(bob) == 1);
    auto const left = world.as_backend().get("/v1/notifications").json();
    CHECK(left.at("notifications").as_array().size() == 2); // to bob, and to an address
}

TEST_CASE("queued pushes to an erased user are not sent", "[users]")
{
    Fixture const f;
    World const& world = f.world;
    world.new_device(ada, "ok:1");
    world.send({{"templateName", "ping"}, {"channel", "push"}, {"to", ada},
        {"sendAt", core::to_rfc3339(world.clock.now() + 1h)}});
    erase(world);
    CHECK(count(world, "jobs WHERE queue = 'notify.push'") == "0");
    world.new_device(ada, "ok:1"); // the user may go on
    world.clock.advance(2h);
    auto const id = f.send();
    REQUIRE(world.becomes(id, "sent"));
    CHECK(f.fcm.seen("ok:1") == 1);
}

TEST_CASE("a run that has read a device before its erasure does not send to it", "[users]")
{
    Fixture const f;
    World const& world = f.world;
    world.new_device(ada, "ok:1");
    auto const row =
        world.postgres.query("SELECT format('(%s, %s, %L, %L, %L, now(), now())', scope_id, device_id, "
                             "token, user_id, platform) FROM devices");
    erase(world);
    // The device is back in the table, as such a run sees it.
    world.postgres.query("INSERT INTO devices (scope_id, device_id, token, user_id, platform, created_at, "
                         "updated_at) OVERRIDING SYSTEM VALUE VALUES " +
                         row);
    auto backend = world.as_backend();
    CHECK(eventually([&] {
        auto const r = require(200, backend.post("/v1/devices/ok:1/test", "")).json();
        return text(r, "result") == "failed" && text(r, "reason") == "DEVICE_REMOVED";
    }));
    auto const seen = f.fcm.seen("ok:1");
    auto const id = f.send();
    REQUIRE(world.becomes(id, "failed"));
    CHECK(text(world.notification(id), "failureReason") == "DEVICE_REMOVED");
    CHECK(f.fcm.seen("ok:1") == seen);
}

TEST_CASE("an upload is erased if only the user's emails use it", "[users]")
{
    World const world;
    world.new_template("mail", {{"subject", "{{text}}"}, {"body", "{{text}}"}});
    auto backend = world.as_backend();
    auto const own = upload(backend), shared = upload(backend);
    wait_with_files(world, marked_user, own);
    wait_with_files(world, marked_user, shared);
    auto const other = wait_with_files(world, "bob@example.com", shared);
    erase(world, marked_user);
    CHECK(backend.get("/v1/attachments/" + own).status == 404);
    CHECK(backend.get("/v1/attachments/" + shared).status == 200);
    CHECK(eventually(
        [&] { return testing::find_marked_files(world.directory.path() + "/blobs", marker).size() == 1; }));
    CHECK(count(world, "notification_attachments WHERE notification_id = '" + other + "'") == "2");
}

TEST_CASE("the suppression of an erased user's address stays in effect as a hash", "[users]")
{
    World const world;
    std::string const phone = "+14155550123";
    world.new_template("text", {{"channel", "sms"}});
    world.postgres.query(
        "INSERT INTO suppressions (scope_id, channel, address, reason, created_at) VALUES (" +
        world.scope_id() + ", 'sms', '" + phone + "', '21610', '2026-01-31 09:00Z')");
    erase(world, "%2B14155550123");
    CHECK(count(world, "suppressions WHERE address = '" + phone + "'") == "0");

    auto backend = world.as_backend();
    auto const send = [&] {
        return world.send({{"templateName", "text"}, {"channel", "sms"}, {"to", phone}});
    };
    auto const refused = send();
    REQUIRE(world.becomes(refused, "failed"));
    CHECK(text(world.notification(refused), "failureReason") == "SUPPRESSED");
    auto const listed = all_items(backend, "/v1/suppressions");
    REQUIRE(listed.size() == 1);
    CHECK_THAT(text(listed[0], "address"), Catch::Matches("hash:[0-9a-f]{12}"));
    CHECK(text(listed[0], "channel") == "sms");
    CHECK(text(listed[0], "createdAt") == "2026-01-31T09:00:00.000Z");

    SECTION("another opt-out does not store the address")
    {
        pg::Database database({.url = world.postgres.service_url()});
        core::ScopeId const scope_id{std::stoll(world.scope_id())};
        database.transact_blocking(pg::Scopes(scope_id), [&](pg::Tx& tx) {
            notify::suppressions::insert(tx, scope_id, notify::Channel::sms, phone, "21610");
        });
        CHECK(count(world, "suppressions") == "1");
        database.stop();
    }
    SECTION("the suppression can be deleted with the address")
    {
        require(200, backend.del("/v1/suppressions/%2B14155550123"));
        auto const audited = all_items(backend, "/v1/audit?action=suppression.deleted");
        REQUIRE(audited.size() == 1);
        CHECK(text(audited[0], "subjectId") == text(listed[0], "address"));
        CHECK(world.becomes(send(), "sent"));
    }
}

TEST_CASE("an idempotent response about an erased user is not repeated", "[users]")
{
    World const world;
    auto backend = world.as_backend();
    world.new_template("ping", {{"channel", "push"}});
    world.put_fcm();
    json::object const device{{"userId", ada}, {"token", "ok:1"}, {"platform", "web"}};
    json::object const push{{"templateName", "ping"}, {"channel", "push"}, {"to", ada}};
    auto const post = [&](std::string const& path, json::object const& fields) {
        return backend.post(path, body(fields), {{"Idempotency-Key", "once"}}).header("idempotent-replayed");
    };
    for (std::string const& expected : {"", "true"}) {
        CHECK(post("/v1/devices", device) == expected);
        CHECK(post("/v1/notifications/send", push) == expected);
    }
    erase(world);
    CHECK(count(world, "idempotency_keys") == "0");
    CHECK(post("/v1/devices", device).empty());
    CHECK(post("/v1/notifications/send", push).empty());
}

TEST_CASE("auth-mfa erases the user of a deleted account", "[users]")
{
    World world;
    world.new_device(ada, "ok:1");
    auto const before = world.token(ada, "admin");
    require(200, world.with(before).get("/v1/settings"));
    CHECK(require(200, as_eraser(world).post("/v1/erasures", "")).body == R"({"deleted":true})");
    CHECK(require(200, as_eraser(world).post("/v1/erasures", "")).body == R"({"deleted":true})");
    CHECK(count(world, "devices") == "0");
    CHECK(eventually([&] { return world.with(before).get("/v1/settings").status == 401; }));
}

TEST_CASE("data that is written during the erasure of a deleted account is erased later", "[users]")
{
    Fixture f;
    World& world = f.world;
    require(201, world.as_backend().post("/v1/webhooks", R"({"url":"http://127.0.0.1:9/"})"));
    std::atomic<bool> stop = false;
    std::atomic<int> devices = 0, sends = 0;
    std::vector<std::thread> writers;
    writers.emplace_back([&, app = world.as_app()]() mutable {
        for (int i = 0; !stop; ++i, ++devices)
            app.post("/v1/devices",
                body({{"userId", ada}, {"token", "ok:" + std::to_string(i)}, {"platform", "android"}}));
    });
    writers.emplace_back([&, backend = world.as_backend()]() mutable {
        for (; !stop; ++sends)
            backend.post(
                "/v1/notifications/send", body({{"templateName", "ping"}, {"channel", "push"}, {"to", ada}}));
    });
    REQUIRE(eventually([&] { return devices > 20 && sends > 20; }));
    CHECK(eventually([&] { return as_eraser(world).post("/v1/erasures", "").status == 200; }));
    int const then = sends;
    REQUIRE(eventually([&] { return sends > then + 20; }));
    stop = true;
    for (auto& writer : writers)
        writer.join();
    // As requests that were running during the erasure may write.
    add_notifications(world, ada, 3);
    world.postgres.query(
        "INSERT INTO devices (scope_id, token, user_id, platform, created_at, updated_at) VALUES (" +
        world.scope_id() + ", 'ok:late', '" + ada + "', 'android', now(), now())");

    world.clock.advance(17min);
    CHECK(eventually([&] { return testing::find_marker(world.postgres, ada).empty(); }));
    CHECK(count(world, "devices") == "0");
    CHECK(count(world, "notifications WHERE recipient NOT LIKE 'deleted:%'") == "0");
}

TEST_CASE(
    "nothing is stored of a user whose account was deleted, however late a request names the user", "[users]")
{
    Fixture f;
    World& world = f.world;
    require(201, world.as_backend().post("/v1/webhooks", R"({"url":"http://127.0.0.1:9/"})"));
    world.new_template("note", {{"channel", "push"}, {"subject", "{{text}}"}, {"body", "{{text}}"}});
    world.new_device(bob, "ok:bob");
    world.new_device(marked_user, "ok:1");
    require(200, as_eraser(world, marked_user).post("/v1/erasures", ""));

    auto app = world.as_app(), backend = world.as_backend();
    bool const later = GENERATE(false, true);
    if (later) {
        world.clock.advance(17min);
        REQUIRE(eventually([&] { return count(world, "erased_users WHERE sealed_user_id IS NULL") == "1"; }));
    }
    for (std::string const key : {"", "once"}) {
        auto const headers = key.empty() ? testing::HttpClient::Headers()
                                         : testing::HttpClient::Headers{{"Idempotency-Key", key}};
        for (auto const* token : {"ok:1", "ok:bob"}) {
            auto const refused = app.post("/v1/devices",
                body({{"userId", marked_user}, {"token", token}, {"platform", "android"}}), headers);
            CHECK(refused.status == 404);
            CHECK(text(refused.json(), "detail").find("was deleted") != std::string::npos);
        }
        auto const accepted = require(
            202, backend.post("/v1/notifications/send",
                     body({{"templateName", "note"}, {"channel", "push"}, {"to", marked_user},
                         {"variables", json::object{{"text", marker}}},
                         {"data", json::object{{"key", marker}}}, {"push", json::object{{"sound", marker}}}}),
                     headers));
        auto const id = text(accepted.json(), "notificationId");
        REQUIRE(world.becomes(id, "failed"));
        CHECK(text(world.notification(id), "failureReason") == "NO_DEVICES");
        CHECK(text(world.notification(id), "to") == "deleted:" + id);
    }
    CHECK(testing::find_marker(world.postgres, marker) == std::vector<testing::MarkedPlace>());
    CHECK(testing::find_marker(world.redis, marker) == std::vector<std::string>());
    CHECK(f.devices(bob) == 1);
    REQUIRE(world.becomes(f.send(bob), "sent"));
    // The same id in another environment is another user.
    world.new_device(marked_user, "ok:1", "android", "demo");
}

TEST_CASE("10,000 notifications are erased in one request", "[users]")
{
    World const world;
    for (int device = 1; device <= 3; ++device)
        world.new_device(ada, "ok:" + std::to_string(device));
    add_notifications(world, ada, 10'000);
    add_notifications(world, bob, 1'000);
    world.postgres.query("ANALYZE");
    erase(world);
    CHECK(count(world, "notifications") == "1000");
    CHECK(count(world, "push_deliveries") == "2000");
    CHECK(count(world, "notification_events") == "2000");
    CHECK(count(world, "devices") == "0");
}
