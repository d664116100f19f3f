#include "push_delivery.hpp"

#include <catch2/catch.hpp>

// Pushes of two tenants. Each has a Firebase project, and both use the same origin of FCM.

using namespace push_delivery_test;

namespace {

constexpr char const* other = "other-sandbox";

/// The service for the tenants `demo`, whose pushes FCM does not take, and `other`.
struct TwoTenants : Fixture {
    TwoTenants()
    {
        world.new_template("ping", {{"channel", "push"}, {"subject", "Ping"}, {"body", "Hello"}}, other);
        auto credential = fcm_credential();
        credential["serviceAccountKey"].as_object()["project_id"] = "other-project";
        require(200, world.as_backend(other).put("/v1/platforms/fcm", body(credential)));
        world.new_device(ada, "ok:other", "android", other);
    }

    /// Creates `count` devices of one user of `demo`.
    void new_devices(int count, std::string const& prefix) const
    {
        world.postgres.query("INSERT INTO devices (scope_id, token, user_id, platform, created_at, "
                             "updated_at) SELECT " +
                             world.scope_id() + ", '" + prefix + "' || n, '" + bob +
                             "', 'android', now(), now() FROM generate_series(1, " + std::to_string(count) +
                             ") AS n");
    }

    std::string broadcast(std::string const& tenant) const
    {
        auto const made = require(202, world.as_backend(tenant).post("/v1/notifications/broadcast",
                                           R"({"templateName":"ping","channel":"push"})"));
        return "/v1/notifications/broadcasts/" + text(made.json(), "broadcastId");
    }

    /// The state of FCM that a broadcast shows.
    std::string fcm_state(std::string const& broadcast, std::string const& tenant) const
    {
        auto const shown = world.as_backend(tenant).get(broadcast).json();
        for (auto const& carrier : shown.at("carriers").as_array())
            if (text(carrier, "kind") == "fcm") return text(carrier, "state");
        return {};
    }

    bool completes(std::string const& broadcast, std::string const& tenant) const
    {
        return eventually(
            [&] { return text(world.as_backend(tenant).get(broadcast).json(), "completedAt") != "null"; });
    }

    /// The project of each push that FCM has received, in order.
    std::vector<std::string> projects() const
    {
        std::vector<std::string> all;
        for (auto const& push : fcm.seen()) {
            auto const path = text(push.at("headers"), ":path"); // /v1/projects/NAME/messages:send
            std::string const prefix = "/v1/projects/";
            all.push_back(path.substr(prefix.size(), path.find('/', prefix.size()) - prefix.size()));
        }
        return all;
    }
};

} // namespace

TEST_CASE("a tenant whose project does not respond delays no push of another tenant", "[push]")
{
    TwoTenants f;
    constexpr int devices = 100, sends = 10;
    f.new_devices(devices, "hang:");
    std::vector<std::string> stuck;
    for (int i = 0; i < sends; ++i)
        stuck.push_back(f.send(bob));
    REQUIRE(eventually([&] { return f.fcm.pushes() == devices * sends; }));
    auto const id = f.send(ada, other);
    REQUIRE(f.world.becomes(id, "sent", other));
    CHECK(f.world.notification(id, other).at("attempts") == 1);
    auto const projects = f.projects();
    REQUIRE(projects.size() == devices * sends + 1);
    CHECK(projects.back() == "other-project");
    CHECK(projects.front() == "demo-project");
    for (auto const& each : stuck)
        CHECK(text(f.world.notification(each), "status") == "queued");
}

TEST_CASE("a broadcast to a project that does not respond delays no broadcast of another tenant",
    "[push][broadcast]")
{
    TwoTenants f;
    f.new_devices(2'000, "hang:");
    auto const stuck = f.broadcast("demo-sandbox");
    REQUIRE(eventually([&] { return f.fcm.pushes() > 0; }));
    auto const broadcast = f.broadcast(other);
    REQUIRE(f.completes(broadcast, other));
    auto const done = f.world.as_backend(other).get(broadcast).json();
    CHECK(done.at("sentCount") == 1);
    auto const waiting = f.world.as_backend().get(stuck).json();
    CHECK(text(waiting, "completedAt") == "null");
    CHECK(waiting.at("sentCount") == 0);
}

TEST_CASE("a tenant whose project fails stops its own pushes only", "[push]")
{
    TwoTenants f;
    f.new_devices(6, "INTERNAL:");
    REQUIRE(f.attempted(f.send(bob), 1));
    auto const failing = f.broadcast("demo-sandbox");
    CHECK(eventually([&] { return f.fcm_state(failing, "demo-sandbox") == "down"; }));

    auto const id = f.send(ada, other);
    REQUIRE(f.world.becomes(id, "sent", other));
    CHECK(f.world.notification(id, other).at("attempts") == 1);
    auto const broadcast = f.broadcast(other);
    REQUIRE(f.completes(broadcast, other));
    CHECK(f.world.as_backend(other).get(broadcast).json().at("sentCount") == 1);
    CHECK(f.fcm_state(broadcast, other) == "ok");
    CHECK(f.fcm_state(failing, "demo-sandbox") == "down");
    CHECK(f.fcm.seen("ok:other") == 2);
}
