#pragma once

#include "world.hpp"

#include <catch2/catch.hpp>

/// Helpers for tests of notifications.
namespace notified {

using boost::json::array, boost::json::object;

/// An id that does not exist.
inline constexpr char const* unknown_id = "0190a5d2-0000-7000-8000-0000000000ff";

inline std::string path_of(std::string const& id, std::string const& rest = "")
{
    return "/v1/notifications/" + id + rest;
}

/// Sends a notification that is due in a day and therefore stays queued.
inline std::string queued(World const& world, object more = {})
{
    object fields{{"templateName", "mail"}, {"channel", "email"}, {"to", "ada@example.com"},
        {"sendAt", core::to_rfc3339(world.clock.now() + 24h)}};
    for (auto& [name, value] : more)
        fields[name] = value;
    return world.send(fields);
}

/// Sends an email and waits until it is sent.
inline std::string sent(World const& world, std::string const& to = "ada@example.com")
{
    auto const id = world.send({{"templateName", "mail"}, {"channel", "email"}, {"to", to}});
    REQUIRE(world.becomes(id, "sent"));
    return id;
}

/// Sends a push to a user without devices and waits until it has failed.
inline std::string failed(World const& world)
{
    auto const id = world.send({{"templateName", "ping"}, {"channel", "push"}, {"to", "nobody"}});
    REQUIRE(world.becomes(id, "failed"));
    return id;
}

inline void make_templates(World const& world)
{
    world.new_template("mail");
    world.new_template("code", {{"channel", "sms"}});
    world.new_template("ping", {{"channel", "push"}});
    world.put_fcm();
}

/// The statuses of the history, newest first.
inline std::string history(World const& world, std::string const& id)
{
    auto backend = world.as_backend();
    std::string statuses;
    for (auto const& event : all_items(backend, path_of(id, "/events"), 2))
        statuses += (statuses.empty() ? "" : " ") + text(event, "status");
    return statuses;
}

/// The webhook events about a notification, in their order.
inline std::string announced(World const& world, std::string const& id)
{
    return world.postgres.query(
        R"(
        SELECT string_agg(event_type, ' ' ORDER BY created_at, delivery_id)
        FROM webhook_deliveries
        WHERE payload::jsonb -> 'data' ->> 'notificationId' = ')" +
        id + "'");
}

/// Creates a webhook, so that the scope's events are published.
inline void listen(World const& world)
{
    REQUIRE(world.as_backend().post("/v1/webhooks", R"({"url":"http://127.0.0.1:9/"})").status == 201);
}

inline testing::HttpResponse ack(World const& world, array items, std::string const& tenant = "demo-sandbox")
{
    return world.as_backend(tenant).post(
        "/v1/notifications/ack", body({{"notifications", std::move(items)}}));
}

/// The number of acknowledged items, and the result of each item.
inline std::string results(testing::HttpResponse const& response)
{
    INFO(response.body);
    REQUIRE(response.status == 200);
    std::string all;
    auto const json = response.json();
    for (auto const& item : json.at("results").as_array())
        all += (all.empty() ? "" : " ") + text(item, "result");
    return std::to_string(json.at("acknowledged").to_number<int>()) + ": " + all;
}

} // namespace notified
