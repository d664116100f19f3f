#include "checks.hpp"
#include "routes.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

OpenApi const& contract()
{
    static OpenApi const loaded(PROTO_DIR "/notify.openapi.yaml");
    return loaded;
}

namespace {

/// A service whose DNS server does not answer.
World::Options without_dns()
{
    return {.environment = {{"DNS_SERVERS", "127.0.0.1:9"}}};
}

} // namespace

TEST_CASE("the contract describes exactly the routes of the service", "[contract]")
{
    check_described(notify::routes);
}

TEST_CASE("the contract names the callers and the parameters of each route", "[contract]")
{
    check_operations(notify::routes);
}

TEST_CASE("responses of templates and notifications match the contract", "[contract]")
{
    World const world;
    auto backend = world.as_backend();
    auto const made = example(backend, "POST /v1/templates");
    REQUIRE(made.status == 201);
    CHECK(example(backend, "POST /v1/templates").status == 409);
    CHECK(checked(backend, "POST /v1/templates", "/v1/templates", "{}").status == 400);
    auto const path = "/v1/templates/" + text(made.json(), "templateId");
    CHECK(checked(backend, "GET /v1/templates/{templateId}", path).status == 200);
    CHECK(checked(backend, "PATCH /v1/templates/{templateId}", path,
              example_of("PATCH /v1/templates/{templateId}"))
              .status == 200);
    CHECK(checked(backend, "POST /v1/templates/{templateId}/preview", path + "/preview",
              example_of("POST /v1/templates/{templateId}/preview"))
              .status == 200);
    CHECK(checked(backend, "POST /v1/templates/{templateId}/preview", path + "/preview", "{}").status == 400);
    CHECK(checked(backend, "GET /v1/templates", "/v1/templates").status == 200);
    CHECK(checked(backend, "GET /v1/templates", "/v1/templates?limit=1").status == 200);

    CHECK(example(backend, "POST /v1/webhooks").status == 201);
    auto const sent = example(backend, "POST /v1/notifications/send");
    REQUIRE(sent.status == 202);
    CHECK_FALSE(sent.header("ratelimit").empty());
    CHECK_FALSE(sent.header("ratelimit-policy").empty());
    CHECK(checked(backend, "POST /v1/notifications/send", "/v1/notifications/send", "{}").status == 400);
    CHECK(checked(backend, "POST /v1/notifications/send", "/v1/notifications/send",
              body({{"templateName", "unknown"}, {"channel", "sms"}, {"to", "+4915112345678"}}))
              .status == 404);
    auto const id = text(sent.json(), "notificationId");
    REQUIRE(world.becomes(id, "sent"));
    auto const one = "/v1/notifications/" + id;
    CHECK(checked(backend, "GET /v1/notifications/{notificationId}", one).status == 200);
    CHECK(checked(backend, "GET /v1/notifications/{notificationId}/events", one + "/events").status == 200);
    CHECK(checked(backend, "POST /v1/notifications/{notificationId}/cancel", one + "/cancel").status == 409);
    CHECK(checked(backend, "POST /v1/notifications/ack", "/v1/notifications/ack",
              body({{"notifications", boost::json::array{boost::json::object{{"id", id}}}}}))
              .status == 200);
    CHECK(example(backend, "POST /v1/notifications/ack").status == 200);
    CHECK(checked(backend, "POST /v1/notifications/{notificationId}/opened", one + "/opened").status == 200);
    CHECK(checked(backend, "POST /v1/notifications/{notificationId}/retry", one + "/retry").status == 409);
    CHECK(example(backend, "GET /v1/notifications").status == 200);

    auto const later = world.send({{"templateName", "welcome"}, {"channel", "email"},
        {"to", "ada@example.com"}, {"variables", boost::json::object{{"name", "Ada"}, {"link", "x"}}},
        {"sendAt", core::to_rfc3339(world.clock.now() + 1h)}});
    for (auto const& [what, status] : {std::pair{"cancel", 200U}, std::pair{"retry", 202U}})
        CHECK(checked(backend, std::string("POST /v1/notifications/{notificationId}/") + what,
                  "/v1/notifications/" + later + "/" + what)
                  .status == status);
    CHECK(checked(backend, "DELETE /v1/templates/{templateId}", path).status == 200);
    CHECK(checked(backend, "DELETE /v1/templates/{templateId}", path).status == 404);
}

TEST_CASE("responses of attachments match the contract", "[contract]")
{
    World const world;
    auto backend = world.as_backend();
    auto const presigned = example(backend, "POST /v1/attachments/presign");
    REQUIRE(presigned.status == 201);
    auto const path = "/v1/attachments/" + text(presigned.json(), "attachmentId");
    CHECK(checked(backend, "GET /v1/attachments/{attachmentId}", path).status == 200);
    auto const upload = text(presigned.json(), "uploadUrl");
    std::string const pdf = "%PDF-1.7\n" + std::string(48'204, 'x');
    CHECK(checked(backend, "PUT /uploads/{token}", upload.substr(upload.find("/uploads/")), pdf,
              {{"Content-Type", "application/pdf"}})
              .status == 200);
    auto const uploaded = checked(backend, "GET /v1/attachments/{attachmentId}", path);
    CHECK(uploaded.status == 200);
    auto const download = text(uploaded.json(), "downloadUrl");
    auto const get = [&](testing::HttpClient::Headers const& headers) {
        return checked(backend, "GET /downloads/{token}", download.substr(download.find("/downloads/")),
            std::nullopt, headers);
    };
    auto const file = get({});
    CHECK(file.body == pdf);
    CHECK(file.header("content-length") == std::to_string(pdf.size()));
    CHECK(get({{"Range", "bytes=0-4"}}).body == "%PDF-");
    CHECK(get({{"Range", "bytes=99999-"}}).status == 416);
    CHECK(get({{"If-None-Match", file.header("etag")}}).status == 304);
}

TEST_CASE("responses of users match the contract", "[contract]")
{
    World const world;
    world.new_device(ada, "ok:1");
    auto backend = world.as_backend(), user = world.as_user(ada), other_user = world.as_user(bob);
    auto erasure = world.with(world.erasure_token(ada));
    auto const path = std::string("/v1/users/") + ada;
    CHECK(checked(user, "GET /v1/users/{userId}/export", path + "/export").status == 200);
    CHECK(checked(other_user, "GET /v1/users/{userId}/export", path + "/export").status == 404);
    CHECK(checked(backend, "DELETE /v1/users/{userId}", path).status == 200);
    CHECK(checked(backend, "DELETE /v1/users/{userId}", path + "?mode=anonymize").status == 400);
    CHECK(checked(erasure, "POST /v1/erasures", "/v1/erasures").status == 200);
    CHECK(checked(backend, "POST /v1/erasures", "/v1/erasures").status == 401);
}

TEST_CASE("responses of devices and platforms match the contract", "[contract]")
{
    World const world;
    auto app = world.as_app(), backend = world.as_backend();
    CHECK(
        checked(backend, "PUT /v1/platforms/{kind}", "/v1/platforms/apns", body(apns_credential())).status ==
        200);
    CHECK(checked(backend, "PUT /v1/platforms/{kind}", "/v1/platforms/apns",
              example_of("PUT /v1/platforms/{kind}"))
              .status == 400);
    auto const registered = example(app, "POST /v1/devices");
    REQUIRE(registered.status == 201);
    auto const user = text(registered.json(), "userId"), token = text(registered.json(), "token");
    CHECK(checked(app, "POST /v1/devices", "/v1/devices", "{}").status == 400);
    CHECK(checked(app, "GET /v1/devices", "/v1/devices?userId=" + user).status == 403);
    CHECK(checked(backend, "GET /v1/devices", "/v1/devices?userId=" + user).status == 200);
    auto const test = "/v1/devices/" + token + "/test";
    CHECK(checked(backend, "POST /v1/devices/{token}/test", test).status == 409);
    CHECK(checked(backend, "PUT /v1/platforms/{kind}", "/v1/platforms/fcm", body(fcm_credential())).status ==
          200);
    auto const tested = checked(backend, "POST /v1/devices/{token}/test", test); // no push provider
    CHECK(tested.status == 200);
    CHECK(text(tested.json(), "result") == "failed");
    CHECK(example(backend, "GET /v1/platforms").status == 200);
    world.postgres.query(
        R"(
        UPDATE platforms
        SET pruning_stopped_at = now(), paused_until = now() + interval '1 hour',
            paused_reason = 'PERMISSION_DENIED')");
    CHECK(checked(backend, "GET /v1/platforms", "/v1/platforms").status == 200);
    world.postgres.query("UPDATE platforms SET paused_until = NULL, paused_reason = NULL");

    world.new_template("ping", {{"channel", "push"}});
    auto const id = world.send({{"templateName", "ping"}, {"channel", "push"}, {"to", user}});
    auto const path = "/v1/notifications/" + id;
    CHECK(eventually([&] { return !backend.get(path).json().at("deliveries").as_array().empty(); }));
    auto const pushed = checked(backend, "GET /v1/notifications/{notificationId}", path);
    CHECK(pushed.json().at("deliveries").as_array().size() == 1);

    CHECK(checked(app, "DELETE /v1/devices/{token}", "/v1/devices/" + token).status == 200);
    CHECK(checked(app, "DELETE /v1/devices/{token}", "/v1/devices/" + token).status == 404);
    CHECK(checked(backend, "DELETE /v1/platforms/{kind}", "/v1/platforms/fcm").status == 200);
    CHECK(checked(backend, "DELETE /v1/platforms/{kind}", "/v1/platforms/fcm").status == 404);
}

TEST_CASE("responses of broadcasts match the contract", "[contract]")
{
    World const world;
    auto backend = world.as_backend();
    std::string const post = "POST /v1/notifications/broadcast",
                      one = "/v1/notifications/broadcasts/{broadcastId}";
    CHECK(example(backend, post).status == 404);
    world.new_template("news", {{"channel", "push"}});
    CHECK(example(backend, post).status == 409);
    world.put_fcm();
    auto const accepted = example(backend, post);
    REQUIRE(accepted.status == 202);
    CHECK_FALSE(accepted.header("ratelimit").empty());
    auto const repeated = example(backend, post);
    CHECK(repeated.status == 202);
    CHECK(text(repeated.json(), "status") == "duplicate");
    CHECK(checked(backend, post, "/v1/notifications/broadcast", "{}").status == 400);
    auto const path = "/v1/notifications/broadcasts/" + text(accepted.json(), "broadcastId");
    auto const complete = [&] { return text(backend.get(path).json(), "completedAt") != "null"; };
    REQUIRE(eventually(complete));
    CHECK(checked(backend, "GET " + one, path).status == 200);
    CHECK(example(backend, "GET /v1/notifications/broadcasts").status == 200);
    CHECK(checked(backend, "POST " + one + "/cancel", path + "/cancel").status == 409);

    world.new_device(ada, "a-token"); // the push provider does not answer, so the broadcast waits
    auto const waits = checked(
        backend, post, "/v1/notifications/broadcast", body({{"templateName", "news"}, {"channel", "push"}}));
    auto const second = "/v1/notifications/broadcasts/" + text(waits.json(), "broadcastId");
    CHECK(checked(backend, "POST " + one + "/cancel", second + "/cancel").status == 200);
}

TEST_CASE("responses of domains, suppressions and reports match the contract", "[contract]")
{
    World const world(without_dns());
    auto backend = world.as_backend();
    CHECK(example(backend, "GET /v1/domains/status").status == 404);
    CHECK(example(backend, "POST /v1/domains/verify").status == 200);
    CHECK(checked(backend, "POST /v1/domains/verify", "/v1/domains/verify", "{}").status == 400);
    CHECK(example(backend, "GET /v1/domains/status").status == 200);
    CHECK(example(backend, "DELETE /v1/domains").status == 200);
    CHECK(example(backend, "DELETE /v1/domains").status == 404);

    world.postgres.query(
        "INSERT INTO suppressions (scope_id, channel, address, reason, created_at) VALUES (" +
        world.scope_id() + ", 'sms', '+4915112345678', '21610', now())");
    auto const suppressed = example(backend, "GET /v1/suppressions");
    CHECK(suppressed.json().at("items").as_array().size() == 1);
    for (auto const status : {200U, 404U})
        CHECK(
            checked(backend, "DELETE /v1/suppressions/{address}", "/v1/suppressions/+4915112345678").status ==
            status);

    auto anyone = world.client();
    CHECK(
        checked(anyone, "POST /webhooks/sms/twilio", "/webhooks/sms/twilio",
            "MessageSid=SM1&MessageStatus=delivered", {{"Content-Type", "application/x-www-form-urlencoded"}})
            .status == 401);
}

TEST_CASE("responses of settings, webhooks, keys and tenants match the contract", "[contract]")
{
    World const world;
    auto backend = world.as_backend(), owner = world.as_user(ada, "owner"), master = world.as_master();
    CHECK(example(backend, "PATCH /v1/settings").status == 200);
    for (auto const* list : {"/v1/settings", "/v1/audit", "/v1/webhooks"})
        CHECK(example(backend, std::string("GET ") + list).status == 200);

    check_webhooks(backend, [&] {
        world.new_template("mail");
        world.send({{"templateName", "mail"}, {"channel", "email"}, {"to", "ada@example.com"}});
    });
    check_keys(owner, backend);
    std::string const rotate = "POST /v1/keys/{environment}/rotate-publishable";
    CHECK(checked(owner, rotate, "/v1/keys/sandbox/rotate-publishable", example_of(rotate)).status == 201);
    check_tenants(master);
}

TEST_CASE("the served reference matches the contract", "[contract]")
{
    World const world;
    auto anyone = world.client();
    check_reference(anyone);
}
