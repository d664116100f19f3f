#include "push_server.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

namespace {

/// The service with both carriers.
struct Carriers {
    explicit Carriers(boost::json::object const& apns_options = {}) : apns("apns.mjs", apns_options)
    {
        world.put_fcm();
        world.put_apns();
    }

    /// The result of a test push to a new device of ada: `result reason`.
    std::string tested(std::string const& token, std::string const& platform)
    {
        world.new_device(ada, token, platform);
        auto const r = world.as_backend().post("/v1/devices/" + token + "/test", "");
        REQUIRE(r.status == 200);
        CHECK(text(r.json(), "token") == token);
        return text(r.json(), "result") + ' ' + text(r.json(), "reason");
    }

    bool knows(std::string const& token)
    {
        auto backend = world.as_backend();
        auto const devices = all_items(backend, std::string("/v1/devices?userId=") + ada);
        return std::ranges::any_of(devices, [&](auto const& d) { return text(d, "token") == token; });
    }

    PushServer fcm{"fcm.mjs"};
    PushServer apns;
    World world{{.environment = {{"FCM_BASE_URL", fcm.url()}, {"FCM_TOKEN_URL", fcm.token_url()},
                     {"APNS_BASE_URL", apns.url()}}}};
};

/// The Unix time in milliseconds, `after` from now, by the real clock, which the database also uses.
std::int64_t milliseconds(std::chrono::hours after)
{
    auto const at = (core::SystemClock().now() + after).time_since_epoch();
    return std::chrono::duration_cast<std::chrono::milliseconds>(at).count();
}

} // namespace

TEST_CASE("a test push goes to the device's carrier and creates no notification", "[devices][push]")
{
    Carriers f;
    CHECK(f.tested("ok:1", "android") == "sent null");
    CHECK(f.tested("ok:2", "ios") == "sent null");
    CHECK(f.tested("ok:3", "web") == "sent null");
    CHECK(f.fcm.seen("ok:1") == 1);
    CHECK(f.apns.seen("ok:2") == 1);
    CHECK(f.fcm.seen("ok:3") == 1);
    CHECK(f.fcm.seen().size() + f.apns.seen().size() == 3);
    CHECK(f.world.postgres.query("SELECT count(*) FROM notifications") == "0");

    auto const unknown = f.world.as_backend().post("/v1/devices/ok:4/test", "");
    CHECK(unknown.status == 404);
    CHECK(error_of(unknown) == "NOT_FOUND");
    CHECK(f.world.as_backend("demo").post("/v1/devices/ok:1/test", "").status == 404);
}

TEST_CASE("a test push removes a device with an invalid token, and no other device", "[devices][push]")
{
    Carriers f;
    CHECK(f.tested("UNREGISTERED:1", "android") == "invalid UNREGISTERED");
    CHECK_FALSE(f.knows("UNREGISTERED:1"));
    CHECK(f.tested("BadDeviceToken:1", "ios") == "invalid BadDeviceToken");
    CHECK_FALSE(f.knows("BadDeviceToken:1"));
    CHECK(f.tested("INTERNAL:1", "web") == "failed INTERNAL");
    CHECK(f.knows("INTERNAL:1"));
    CHECK(f.tested("InternalServerError:1", "ios") == "failed InternalServerError");
    CHECK(f.knows("InternalServerError:1"));
}

TEST_CASE(
    "a test push removes a device only if its token became invalid after the registration", "[devices][push]")
{
    SECTION("the token became invalid before the registration")
    {
        Carriers f({{"since", milliseconds(-1h)}});
        CHECK(f.tested("Unregistered_at:1", "ios") == "invalid Unregistered");
        CHECK(f.knows("Unregistered_at:1"));
    }
    SECTION("the token became invalid after the registration")
    {
        Carriers f({{"since", milliseconds(1h)}});
        CHECK(f.tested("Unregistered_at:1", "ios") == "invalid Unregistered");
        CHECK_FALSE(f.knows("Unregistered_at:1"));
    }
}

TEST_CASE("test pushes are rate limited", "[devices][push]")
{
    Carriers f;
    f.world.new_device(ada, "ok:1");
    auto backend = f.world.as_backend();
    auto const status = [&](std::string const& token = "ok:1") {
        return backend.post("/v1/devices/" + token + "/test", "").status;
    };
    auto const limit_to = [&](int pushes) {
        boost::json::object const limits{{"testPushesPerMinute", pushes}};
        auto const r = f.world.as_master().put(
            "/v1/admin/tenants/demo", body({{"displayName", "Demo"}, {"limits", limits}}));
        REQUIRE(r.status == 200);
    };
    limit_to(0);
    CHECK(eventually([&] { return status() == 429; }));
    f.world.clock.advance(1min); // earlier requests no longer count
    limit_to(2);
    CHECK(eventually([&] { return status() == 200; }));
    CHECK(status("unknown") == 404); // this request does not count
    CHECK(status() == 200);
    auto const refused = backend.post("/v1/devices/ok:1/test", "");
    CHECK(refused.status == 429);
    CHECK(refused.header("ratelimit-policy").find("\"tests\";q=2;w=60") != std::string::npos);
    f.world.clock.advance(1min);
    CHECK(status() == 200);
}
