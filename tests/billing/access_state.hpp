#pragma once

#include "events.hpp"
#include "world.hpp"

#include <boost/json.hpp>

#include <cstdint>
#include <string>
#include <string_view>

/// Status and access of an entitlement as one text, so that a test compares both at once.
namespace access_state {

/// `active, access until …` or `active, no access since …`. The time is `accessUntil`.
inline std::string of(boost::json::value const& entitlement)
{
    bool const has = entitlement.at("isActive") == true;
    return text(entitlement, "status") + (has ? ", access until " : ", no access since ") +
           text(entitlement, "accessUntil");
}

inline std::string of(World const& world, std::string const& product = "pro.monthly",
    std::string const& user = "ada", std::string const& tenant = "demo-sandbox")
{
    return of(world.entitlement(product, user, tenant));
}

/// The text for access until a time, in seconds after the start.
inline std::string until(std::string_view status, std::int64_t seconds)
{
    return std::string(status) + ", access until " + events::rfc3339(seconds);
}

/// The text for access without an end.
inline std::string forever(std::string_view status)
{
    return std::string(status) + ", access until null";
}

/// The text for access that ended at a time, in seconds after the start.
inline std::string since(std::string_view status, std::int64_t seconds)
{
    return std::string(status) + ", no access since " + events::rfc3339(seconds);
}

} // namespace access_state
