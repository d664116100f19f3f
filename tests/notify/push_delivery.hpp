#pragma once

#include "push_server.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <string_view>

/// Helpers for tests of the delivery of pushes.
namespace push_delivery_test {

namespace json = boost::json;

/// The service with both carriers, and their credentials stored for `demo-sandbox`. Tokens select the
/// carriers' responses.
struct Fixture {
    explicit Fixture(json::object const& apns_options = {})
        : apns("apns.mjs", apns_options),
          world({.environment = {{"FCM_BASE_URL", fcm.url()}, {"FCM_TOKEN_URL", fcm.token_url()},
                     {"APNS_BASE_URL", apns.url()}}})
    {
        world.new_template("ping", {{"channel", "push"}, {"subject", "Ping"}, {"body", "Hello"}});
        world.put_fcm();
        world.put_apns();
    }

    std::string send(std::string const& user = ada, std::string const& tenant = "demo-sandbox") const
    {
        return world.send({{"templateName", "ping"}, {"channel", "push"}, {"to", user}}, tenant);
    }

    /// One of the notification's deliveries; an empty object if the token has no delivery (yet).
    json::object delivery(std::string const& id, std::string_view token) const
    {
        auto const n = world.notification(id);
        for (auto const& item : n.at("deliveries").as_array())
            if (text(item, "token") == token) return item.as_object();
        return {};
    }

    bool delivered(std::string const& id, std::string_view token, std::string_view status) const
    {
        return eventually([&] {
            auto const found = delivery(id, token);
            return !found.empty() && text(found, "status") == status;
        });
    }

    bool attempted(std::string const& id, int times) const
    {
        return eventually([&] { return world.notification(id).at("attempts") == times; });
    }

    std::size_t devices(std::string const& user = ada) const
    {
        auto backend = world.as_backend();
        return all_items(backend, "/v1/devices?userId=" + user).size();
    }

    json::object platform(std::string_view kind) const
    {
        auto const all = world.as_backend().get("/v1/platforms").json();
        for (auto const& item : all.at("platforms").as_array())
            if (text(item, "kind") == kind) return item.as_object();
        FAIL("there is no platform " << kind);
        return {};
    }

    PushServer fcm{"fcm.mjs"};
    PushServer apns;
    World world;
};

} // namespace push_delivery_test
