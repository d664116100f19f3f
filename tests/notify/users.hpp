#pragma once

#include "world.hpp"

#include <catch2/catch.hpp>

#include <sstream>
#include <string>
#include <vector>

/// Helpers for tests of the erasure and the export of a user.
namespace users {

namespace json = boost::json;

inline std::string path_of(std::string const& user, std::string const& rest = "")
{
    return "/v1/users/" + user + rest;
}

inline void erase(
    World const& world, std::string const& user = ada, std::string const& tenant = "demo-sandbox")
{
    auto const r = require(200, world.as_backend(tenant).del(path_of(user)));
    CHECK(r.body == R"({"deleted":true})");
}

/// A client with a token with which auth-mfa erases a user.
inline testing::HttpClient as_eraser(World const& world, std::string const& user = ada)
{
    return world.with(world.erasure_token(user));
}

/// The lines of a user's export.
inline std::vector<json::object> lines_of(testing::HttpResponse const& response)
{
    std::vector<json::object> lines;
    std::istringstream in(response.body);
    for (std::string line; std::getline(in, line);)
        lines.push_back(json::parse(line).as_object());
    return lines;
}

/// The value of `SELECT count(*) FROM <what>`.
inline std::string count(World const& world, std::string const& what)
{
    return world.postgres.query("SELECT count(*) FROM " + what);
}

/// Adds `number` pushes to the user, each with two deliveries and two events.
inline void add_notifications(World const& world, std::string const& user, int number)
{
    world.postgres.query(R"(
        WITH added AS (
            INSERT INTO notifications (
                scope_id, notification_id, channel, template_name, recipient, subject, body, html, status,
                created_at, queued_at, sent_at
            )
            SELECT )" + world.scope_id() +
                         R"(, gen_random_uuid(), 'push', 'ping', ')" + user +
                         R"(', 'Title', 'Body', false, 'sent', now() - n * interval '1 ms', now(), now()
            FROM generate_series(1, )" +
                         std::to_string(number) + R"() AS n
            RETURNING scope_id, notification_id
        ),
        events AS (
            INSERT INTO notification_events (scope_id, notification_id, place, status, at)
            SELECT scope_id, notification_id, place, 'sent', now()
            FROM added, generate_series(1, 2) AS place
        )
        INSERT INTO push_deliveries (
            scope_id, notification_id, device_id, token, platform, status, updated_at
        )
        SELECT scope_id, notification_id, 1000000 + device, 'token', 'android', 'sent', now()
        FROM added, generate_series(1, 2) AS device)");
}

} // namespace users
