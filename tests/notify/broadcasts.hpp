#pragma once

#include "push_server.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

#include <map>
#include <string>

/// Helpers for tests of broadcasts.
namespace broadcast_test {

namespace json = boost::json;

inline constexpr char const* path = "/v1/notifications/broadcast";
inline constexpr char const* list_path = "/v1/notifications/broadcasts";
inline constexpr char const* nothing = "0190a5d2-0000-7000-8000-0000000000ff";

/// The body of a broadcast request. `more` replaces or adds members.
inline std::string asked(json::object more = {})
{
    json::object fields{{"templateName", "news"}, {"channel", "push"}};
    for (auto& [name, value] : more)
        fields[name] = value;
    return body(fields);
}

inline std::string keyed(std::string const& key)
{
    return asked({{"dedupeKey", key}});
}

inline std::int64_t number(json::value const& value, std::string_view member)
{
    return value.at(member).to_number<std::int64_t>();
}

/// The counters of a broadcast: `enqueued sent failed invalid`.
inline std::string counters(json::value const& b)
{
    return std::to_string(number(b, "enqueuedDevices")) + ' ' + std::to_string(number(b, "sentCount")) + ' ' +
           std::to_string(number(b, "failedCount")) + ' ' + std::to_string(number(b, "invalidTokenCount"));
}

/// The service with both carriers and a push template. Tokens select the carriers' responses
/// (push_server.mjs).
struct Fixture {
    explicit Fixture(std::map<std::string, std::string> environment = {},
        json::object const& fcm_options = {}, json::object const& apns_options = {})
        : fcm("fcm.mjs", fcm_options), apns("apns.mjs", apns_options), world(options(std::move(environment)))
    {
        world.new_template(
            "news", {{"channel", "push"}, {"subject", "News"}, {"body", "Something happened"}});
        world.put_fcm();
        world.put_apns();
    }

    World::Options options(std::map<std::string, std::string> environment) const
    {
        environment.merge(std::map<std::string, std::string>{
            {"FCM_BASE_URL", fcm.url()}, {"FCM_TOKEN_URL", fcm.token_url()}, {"APNS_BASE_URL", apns.url()}});
        return {.environment = std::move(environment)};
    }

    /// Creates `count` devices of `demo-sandbox` with the tokens `<prefix>1`, `<prefix>2`, …
    void new_devices(int count, std::string const& prefix, std::string const& platform = "android") const
    {
        world.postgres.query(
            "INSERT INTO devices (scope_id, token, user_id, platform, created_at, updated_at) SELECT " +
            world.scope_id() + ", '" + prefix + "' || n, 'user-' || n, '" + platform +
            "', now(), now() FROM generate_series(1, " + std::to_string(count) + ") AS n");
    }

    std::string start(std::string const& fields = asked()) const
    {
        auto const r = world.as_backend().post(path, fields);
        INFO(r.body);
        REQUIRE(r.status == 202);
        CHECK(text(r.json(), "status") == "queued");
        return text(r.json(), "broadcastId");
    }

    json::value broadcast(std::string const& id) const
    {
        auto const r = world.as_backend().get(std::string(list_path) + '/' + id);
        INFO(r.body);
        REQUIRE(r.status == 200);
        return r.json();
    }

    bool completes(std::string const& id) const
    {
        return eventually([&] { return text(broadcast(id), "completedAt") != "null"; }, 2min);
    }

    /// A broadcast as lists and webhooks show it: without the states of the carriers.
    json::value shown(std::string const& id) const
    {
        auto found = broadcast(id);
        found.as_object().erase("carriers");
        return found;
    }

    /// Whether the counters reach these values: `enqueued sent failed invalid`.
    bool counts(std::string const& id, std::string const& expected) const
    {
        return eventually([&] { return counters(broadcast(id)) == expected; });
    }

    /// Waits until `chunks` chunks are postponed. Returns the time until their next run.
    std::chrono::seconds put_off(int chunks = 1) const
    {
        auto const now = "'" + core::to_rfc3339(world.clock.now()) + "'::timestamptz";
        std::string const wait = "SELECT ceil(extract(epoch FROM min(run_at) - " + now +
                                 ")) FROM jobs WHERE queue LIKE 'notify.broadcast_chunk%' AND "
                                 "lease_owner IS NULL AND run_at > " +
                                 now + " + interval '1 ms' HAVING count(*) >= " + std::to_string(chunks);
        REQUIRE(eventually([&] { return !world.postgres.query(wait).empty(); }));
        return std::chrono::seconds(std::stoll(world.postgres.query(wait)));
    }

    /// Waits until `chunks` chunks are postponed, and advances the clock to their next run.
    void go_on(int chunks = 1) const { world.clock.advance(put_off(chunks)); }

    std::string devices() const { return world.postgres.query("SELECT count(*) FROM devices"); }

    /// Whether all chunks and jobs are done.
    bool tidy() const
    {
        return eventually([&] {
            return world.postgres.query(
                       R"(
                       SELECT (SELECT count(*) FROM broadcast_chunks) + (
                           SELECT count(*)
                           FROM jobs
                           WHERE queue LIKE 'notify.broadcast%'
                       ))") == "0";
        });
    }

    PushServer fcm;
    PushServer apns;
    World world;
};

} // namespace broadcast_test
