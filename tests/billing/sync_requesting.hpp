#pragma once

#include "syncing.hpp"

#include <boost/json.hpp>

#include <string>
#include <string_view>
#include <utility>

/// Events without the data of the purchases that they change, and the requests for syncs that they make.
namespace sync_requesting {

namespace json = boost::json;

/// A TRANSFER in production, `seconds` after the start time.
inline json::object transfer(json::array from, json::array to, std::int64_t seconds = -60)
{
    return {{"api_version", "1.0"},
        {"event",
            json::object{{"id", core::Uuid::v7().to_string()}, {"type", "TRANSFER"}, {"store", "APP_STORE"},
                {"event_timestamp_ms", events::ms(seconds)}, {"environment", "PRODUCTION"},
                {"transferred_from", std::move(from)}, {"transferred_to", std::move(to)}}}};
}

/// An event in production of a type that the service does not handle. It names `user` and `alias`.
inline json::object unhandled(std::string_view user, std::string_view alias)
{
    return events::purchase(
        "A_NEW_TYPE", {{"environment", "PRODUCTION"}, {"app_user_id", user}, {"original_app_user_id", user},
                          {"aliases", json::array{alias}}});
}

inline std::string waiting(World const& world)
{
    return world.postgres.query("SELECT count(*) FROM sync_requests");
}

/// Inserts as many requests as may wait, by users `user 1` to `user 10000`. They wait after a failure.
inline void fill(World const& world, std::string const& tenant)
{
    world.postgres.query(R"(
        INSERT INTO sync_requests (scope_id, user_id, source, requested_at, repeated_at, not_before)
        SELECT )" + world.scope_id(tenant) +
                         R"(, 'user ' || n, 'purchases', now(), now(), '2027-01-01'
        FROM generate_series(1, 10000) AS n
        ON CONFLICT DO NOTHING)");
}

/// The statement that inserts a request, which was made `seconds` after the start time.
inline std::string insertion(
    World const& world, std::string const& tenant, std::string const& user, std::int64_t seconds)
{
    auto const at = "'" + events::rfc3339(seconds) + "'";
    return "INSERT INTO sync_requests (scope_id, user_id, source, requested_at, repeated_at) VALUES (" +
           world.scope_id(tenant) + ", '" + user + "', 'purchases', " + at + ", " + at + ");";
}

} // namespace sync_requesting
