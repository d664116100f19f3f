#pragma once

#include "auth/erased_users.hpp"
#include "auth/token_claims.hpp"
#include "core/text.hpp"
#include "events.hpp"
#include "world.hpp"

#include <boost/json.hpp>
#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

/// Helpers for tests that erase and export users.
namespace erasing {

namespace json = boost::json;

/// A token with which auth-mfa says that the user's account was deleted.
inline std::string token(
    World const& world, std::string const& user, std::string const& tenant = "demo-sandbox")
{
    auto claims = world.issuer.claims({.tenant = testing::slug_of(tenant),
        .environment = testing::environment_of(tenant),
        .subject = user,
        .lifetime = 300s});
    for (auto const* name : {"sid", "role", "email", "email_verified", "amr", "acr", "auth_time"})
        claims.erase(name);
    claims["aud"] = "billing";
    return world.issuer.sign(claims, {{"typ", std::string(auth::token::erasure_type)}});
}

/// Says that the user's account was deleted.
inline testing::HttpResponse delete_account(
    World const& world, std::string const& user, std::string const& tenant = "demo-sandbox")
{
    return world.with(token(world, user, tenant), tenant).post("/v1/erasures", "");
}

/// Erases the user's data. The account stays.
inline testing::HttpResponse erase(
    World const& world, std::string const& user, std::string const& tenant = "demo-sandbox")
{
    return world.as_backend(tenant).del("/v1/users/" + core::percent_encode(user));
}

/// The second erasure of the users whose account was deleted: moves the clock, and waits for the job.
inline void sweep(World& world)
{
    world.clock.advance(auth::refusal_time + 1min);
    REQUIRE(eventually([&] {
        return world.postgres.query("SELECT count(*) FROM erased_users WHERE sealed_user_id IS NOT NULL") ==
               "0";
    }));
}

inline bool is_pseudonym(json::value const& user_id)
{
    constexpr std::string_view prefix = "deleted:";
    auto const* id = user_id.if_string();
    return id != nullptr && std::string_view(*id).starts_with(prefix) &&
           core::Uuid::parse(std::string_view(*id).substr(prefix.size()));
}

/// Whether the API shows the event as one that has lost its user and its payload.
inline bool is_erased(json::value const& event)
{
    return is_pseudonym(event.at("userId")) && event.at("erasedAt").is_string() &&
           event.at("payload").is_null();
}

/// The archived events, newest first.
inline json::array archive(World const& world, std::string const& tenant = "demo-sandbox")
{
    auto backend = world.as_backend(tenant);
    return all_items(backend, "/v1/events", 100);
}

/// The only archived event.
inline json::value the_event(World const& world)
{
    auto const events = archive(world);
    REQUIRE(events.size() == 1);
    return events[0];
}

/// Replays an archived event. Returns the result and the reason.
inline std::string replay(World const& world, json::value const& event)
{
    auto const path = "/v1/events/" + core::percent_encode(text(event, "eventId")) + "/replay";
    auto const answer = require(200, world.as_backend().post(path, "")).json();
    return text(answer, "result") + ' ' + text(answer, "reason");
}

/// The number of rows: `rows` follows FROM.
inline std::string count(World const& world, std::string const& rows)
{
    return world.postgres.query("SELECT count(*) FROM " + rows);
}

/// The archived event with this provider's id.
inline json::value event_with(World const& world, std::string_view id)
{
    for (auto const& event : archive(world))
        if (text(event, "eventId") == id) return event;
    throw std::runtime_error("no event " + std::string(id));
}

/// A purchase event of a user, at `seconds` after the start time.
inline json::object bought(std::string_view user, std::int64_t seconds = 0, json::object const& changes = {})
{
    json::object fields{{"app_user_id", user}, {"event_timestamp_ms", events::ms(seconds)},
        {"aliases", json::array{user, "$RCAnonymousID:5b1f"}}};
    for (auto const& change : changes)
        fields[change.key()] = change.value();
    return events::purchase("INITIAL_PURCHASE", fields);
}

/// An event about a subscription of a user to price `a`.
inline json::object subscribed(std::string_view user, std::int64_t seconds = 0,
    std::string_view subscription = "sub_1", json::object const& changes = {})
{
    auto object = events::subscription(
        {events::item("a")}, {{"id", subscription}, {"metadata", json::object{{"userId", user}}},
                                 {"customer", "cus_" + std::string(user)}});
    return events::payment("customer.subscription.updated", std::move(object),
        events::changed({{"created", events::s(seconds)}}, changes));
}

/// A paid invoice of a subscription that names no user.
inline json::object paid(std::int64_t seconds = 0, std::string_view subscription = "sub_1")
{
    return events::payment("invoice.paid", events::old_invoice("a", {{"subscription", subscription}}),
        {{"created", events::s(seconds)}});
}

/// Makes the scope's events be ingested one by one: such events are published to webhooks.
inline std::string listen(World const& world)
{
    return text(
        require(201, world.as_backend().post("/v1/webhooks", R"({"url":"http://127.0.0.1:9/"})")).json(),
        "webhookId");
}

/// The lines of a user's export.
inline std::vector<json::object> exported(testing::HttpResponse const& response)
{
    std::vector<json::object> lines;
    for (std::size_t begin = 0; begin < response.body.size();) {
        auto const end = response.body.find('\n', begin);
        REQUIRE(end != std::string::npos);
        lines.push_back(json::parse(response.body.substr(begin, end - begin)).as_object());
        begin = end + 1;
    }
    return lines;
}

inline std::vector<json::object> exported(
    World const& world, std::string const& user, std::string const& tenant = "demo-sandbox")
{
    auto const path = "/v1/users/" + core::percent_encode(user) + "/export";
    return exported(require(200, world.as_backend(tenant).get(path)));
}

/// The lines of one type.
inline std::vector<json::object> of_type(std::vector<json::object> const& lines, std::string_view type)
{
    std::vector<json::object> found;
    std::ranges::copy_if(lines, std::back_inserter(found),
        [&](json::object const& line) { return text(line, "type") == type; });
    return found;
}

} // namespace erasing
