#include "support/cross_origin.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

TEST_CASE("settings of an environment are read and changed", "[settings]")
{
    World const world;
    auto backend = world.as_backend();
    auto const fresh = backend.get("/v1/settings");
    CHECK(fresh.body == R"({"pushEnabled":true,"allowedOrigins":[],"notificationRetentionDays":90})");

    auto const off = backend.patch("/v1/settings", R"({"pushEnabled":false})");
    CHECK(off.status == 200);
    CHECK(off.body == R"({"pushEnabled":false,"allowedOrigins":[],"notificationRetentionDays":90})");
    CHECK(
        backend.patch("/v1/settings", R"({"allowedOrigins":["https://App.example.com"]})").body ==
        R"({"pushEnabled":false,"allowedOrigins":["https://app.example.com"],"notificationRetentionDays":90})");
    CHECK(backend.get("/v1/settings").json().at("pushEnabled") == false);
    CHECK(world.as_backend("demo").get("/v1/settings").body == fresh.body);
    CHECK(backend.patch("/v1/settings", R"({"pushEnabled":null,"allowedOrigins":null})").body == fresh.body);

    CHECK(backend.patch("/v1/settings", R"({"notificationRetentionDays":30})").body ==
          R"({"pushEnabled":true,"allowedOrigins":[],"notificationRetentionDays":30})");
    CHECK(backend.patch("/v1/settings", R"({"notificationRetentionDays":null})").body == fresh.body);

    auto const etag = backend.get("/v1/settings").header("etag");
    CHECK(backend.patch("/v1/settings", R"({"pushEnabled":false})", {{"If-Match", off.header("etag")}})
              .status == 412);
    CHECK(backend.patch("/v1/settings", R"({"pushEnabled":true})", {{"If-Match", etag}}).status == 200);

    auto const audit = backend.get("/v1/audit?action=settings.updated").json().at("items").as_array();
    REQUIRE(audit.size() == 6);
    CHECK(audit[5].at("before").at("pushEnabled") == true);
    CHECK(audit[5].at("after").at("pushEnabled") == false);
}

TEST_CASE("invalid settings are refused", "[settings]")
{
    World const world;
    auto backend = world.as_backend();
    for (auto const& [request, faults] : std::map<std::string, std::string>{
             {"{}", " required"},
             {R"({"unknown":true})", " required"},
             {R"({"pushEnabled":"yes","allowedOrigins":"https://a.example"})",
                 "/pushEnabled type\n/allowedOrigins type"},
             {R"({"allowedOrigins":["https://a.example","not an origin"]})", "/allowedOrigins/1 format"},
             {R"({"notificationRetentionDays":"90"})", "/notificationRetentionDays type"},
             {R"({"notificationRetentionDays":1.5})", "/notificationRetentionDays type"},
             {R"({"notificationRetentionDays":0})", "/notificationRetentionDays range"},
             {R"({"notificationRetentionDays":3651})", "/notificationRetentionDays range"},
         }) {
        CAPTURE(request);
        auto const r = backend.patch("/v1/settings", request);
        CHECK(r.status == 400);
        CHECK(faults_of(r) == faults);
    }
    CHECK(backend.get("/v1/settings").body ==
          R"({"pushEnabled":true,"allowedOrigins":[],"notificationRetentionDays":90})");
    CHECK(world.as_app().get("/v1/settings").status == 403);
    CHECK(world.as_user(ada).get("/v1/settings").status == 403);
    CHECK(world.as_user(ada, "admin").get("/v1/settings").status == 200);
}

TEST_CASE("pages of a tenant's own auth host may call the API without a setting", "[settings]")
{
    World const world;
    testing::check_pages_of_auth_host(world, "PATCH", "/v1/settings");
}

TEST_CASE("a push is refused while push is disabled or has no carrier", "[settings]")
{
    World const world;
    auto backend = world.as_backend();
    world.new_template("ping", {{"channel", "push"}});
    world.new_device(ada, "t");
    auto const send = [&] {
        return error_of(backend.post(
            "/v1/notifications/send", body({{"templateName", "ping"}, {"channel", "push"}, {"to", ada}})));
    };
    auto const test = [&] { return error_of(backend.post("/v1/devices/t/test", "")); };
    CHECK(send() == "PUSH_CHANNEL_DISABLED");
    CHECK(test() == "PUSH_CHANNEL_DISABLED");
    world.put_apns(); // APNs is not the carrier of the device
    CHECK(send() == "");
    CHECK(test() == "PUSH_CHANNEL_DISABLED");

    world.put_fcm();
    CHECK(backend.patch("/v1/settings", R"({"pushEnabled":false})").status == 200);
    CHECK(test() == "PUSH_CHANNEL_DISABLED");
    CHECK(eventually([&] { return send() == "PUSH_CHANNEL_DISABLED"; }));
    CHECK(backend.patch("/v1/settings", R"({"pushEnabled":true})").status == 200);
    CHECK(eventually([&] { return send().empty(); }));
    CHECK(test() == "");
}
