#include "world.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

namespace {

namespace json = boost::json;

/// Moves the creation of the thread to `seconds` before the time in this column.
void create_before(World const& world, std::string const& thread, std::string const& column, double seconds)
{
    world.postgres.query("UPDATE feedbacks SET created_at = " + column + " - interval '" +
                         std::to_string(seconds) + " s' WHERE feedback_id = '" + thread + "'");
}

json::value stats(testing::HttpClient& client, std::string const& query = {})
{
    auto const r = client.get("/v1/feedbacks/stats" + query);
    INFO(r.body);
    REQUIRE(r.status == 200);
    return r.json();
}

void patch(testing::HttpClient& client, std::string const& thread, std::string const& status)
{
    REQUIRE(client.patch("/v1/feedbacks/" + thread, R"({"status":")" + status + "\"}").status == 200);
}

std::string reply(testing::HttpClient& client, std::string const& thread, bool internal = false)
{
    auto const r = client.post(
        "/v1/feedbacks/" + thread + "/replies", testing::body({{"body", "x"}, {"internal", internal}}));
    REQUIRE(r.status == 201);
    return text(r.json(), "replyId");
}

double seconds(json::value const& stats, char const* name, char const* percentile)
{
    return stats.at(name).at(percentile).to_number<double>();
}

std::string column(World const& world, std::string const& thread, std::string const& name)
{
    return world.postgres.query("SELECT " + name + " FROM feedbacks WHERE feedback_id = '" + thread + "'");
}

} // namespace

TEST_CASE("statistics show the times to the first response and to the resolution", "[feedback]")
{
    World world;
    auto backend = world.as_backend(), user = world.as_user(ada);
    CHECK(stats(backend).at("firstResponseSeconds").is_null());
    CHECK(stats(backend).at("resolutionSeconds").is_null());
    for (int i = 1; i <= 11; ++i) {
        auto const thread = new_thread(user);
        reply(user, thread);          // is no response
        reply(backend, thread, true); // users do not see it
        reply(backend, thread);
        reply(backend, thread); // is not the first
        create_before(world, thread, "first_response_at", i);
    }
    for (int i = 1; i <= 3; ++i) {
        auto const thread = new_thread(user);
        patch(backend, thread, i == 1 ? "closed" : "resolved");
        create_before(world, thread, "resolved_at", 100 * i);
    }
    auto const now = stats(backend);
    CHECK(seconds(now, "firstResponseSeconds", "p50") == 6);
    CHECK(seconds(now, "firstResponseSeconds", "p90") == 10);
    CHECK(seconds(now, "resolutionSeconds", "p50") == 200);
    CHECK(seconds(now, "resolutionSeconds", "p90") == 280);
    CHECK(now.at("total") == 14);
}

TEST_CASE("staff read the statistics, and users may not", "[feedback]")
{
    World world;
    auto backend = world.as_backend(), user = world.as_user(ada);
    auto const thread = new_thread(user);
    reply(backend, thread);
    patch(backend, thread, "resolved");
    auto const expected = stats(backend);
    CHECK(expected.at("total") == 1);
    CHECK_FALSE(expected.at("firstResponseSeconds").is_null());
    for (auto& [name, id, client] : all_staff(world)) {
        CAPTURE(name);
        CHECK(stats(client) == expected);
        CHECK(stats(client, "?createdAfter=2999-01-01T00:00:00Z").at("resolutionSeconds").is_null());
    }
    for (auto const* query : {"", "?createdAfter=2020-01-01T00:00:00Z", "?createdAfter=x"}) {
        CAPTURE(query);
        CHECK(testing::error_of(user.get(std::string("/v1/feedbacks/stats") + query)) == "FORBIDDEN");
    }
}

TEST_CASE("the times of statistics are limited to a period, and the counts are not", "[feedback]")
{
    World world;
    auto backend = world.as_backend();
    for (auto const* day : {"2026-01-10", "2026-02-10", "2026-03-10"}) {
        auto const thread = new_thread(backend);
        reply(backend, thread);
        patch(backend, thread, "closed");
        world.postgres.query("UPDATE feedbacks SET created_at = '" + std::string(day) +
                             "', first_response_at = '" + day + "'::timestamptz + interval '1 day' * " +
                             std::string(day).substr(5, 2) + ", resolved_at = '" + day +
                             "'::timestamptz + interval '2 days' WHERE feedback_id = '" + thread + "'");
    }
    auto const february =
        stats(backend, "?createdAfter=2026-02-01T00:00:00Z&createdBefore=2026-03-01T00:00:00Z");
    CHECK(seconds(february, "firstResponseSeconds", "p50") == 2 * 86'400);
    CHECK(seconds(february, "resolutionSeconds", "p90") == 2 * 86'400);
    CHECK(february.at("total") == 3);
    CHECK(february.at("byStatus").at("closed") == 3);
    CHECK(stats(backend, "?createdAfter=2026-03-10T00:00:00Z").at("firstResponseSeconds").is_null());
    CHECK(stats(backend, "?createdBefore=2026-01-10T00:00:00Z").at("resolutionSeconds").is_null());
    CHECK(backend.get("/v1/feedbacks/stats?createdAfter=yesterday").status == 400);
    CHECK(backend.get("/v1/feedbacks/stats?createdBefore=1&createdAfter=2")
              .json()
              .at("errors")
              .as_array()
              .size() == 2);
}

TEST_CASE("only threads that are resolved or closed now have a time to the resolution", "[feedback]")
{
    World world;
    auto backend = world.as_backend();
    auto const thread = new_thread(backend);
    patch(backend, thread, "resolved");
    CHECK_FALSE(stats(backend).at("resolutionSeconds").is_null());
    auto const first = column(world, thread, "resolved_at");
    REQUIRE(
        backend.patch("/v1/feedbacks/" + thread, R"({"priority":"low","status":"resolved"})").status == 200);
    CHECK(column(world, thread, "resolved_at") == first); // the status has not changed
    patch(backend, thread, "closed");
    CHECK(column(world, thread, "resolved_at") > first);
    patch(backend, thread, "in-progress");
    CHECK(stats(backend).at("resolutionSeconds").is_null());
    CHECK(column(world, thread, "resolved_at").empty());
    patch(backend, thread, "resolved");
    CHECK_FALSE(stats(backend).at("resolutionSeconds").is_null());

    reply(backend, thread);
    CHECK_FALSE(stats(backend).at("firstResponseSeconds").is_null());
    REQUIRE(backend.del("/v1/feedbacks/" + thread).status == 200);
    CHECK(stats(backend).at("resolutionSeconds").is_null());
    CHECK(stats(backend).at("firstResponseSeconds").is_null());
    auto const merged = new_thread(backend);
    reply(backend, merged);
    patch(backend, merged, "closed");
    world.postgres.query(
        "UPDATE feedbacks SET merged_into = gen_random_uuid() WHERE feedback_id = '" + merged + "'");
    CHECK(stats(backend).at("resolutionSeconds").is_null());
    CHECK(stats(backend).at("firstResponseSeconds").is_null());
}

TEST_CASE("the next response becomes the first one when the first one is deleted", "[feedback]")
{
    World world;
    auto backend = world.as_backend(), admin = world.as_user(bob, "admin");
    auto const thread = new_thread(backend);
    auto const replies = "/v1/feedbacks/" + thread + "/replies/";
    auto const first = reply(backend, thread), second = reply(admin, thread), third = reply(backend, thread);
    auto const created = [&](std::string const& id) {
        return world.postgres.query("SELECT created_at FROM replies WHERE reply_id = '" + id + "'");
    };
    CHECK(column(world, thread, "first_response_at") == created(first));
    REQUIRE(backend.del(replies + first).status == 200);
    CHECK(column(world, thread, "first_response_at") == created(second));
    REQUIRE(backend.del("/v1/users/" + std::string(bob)).status == 200);
    CHECK(column(world, thread, "first_response_at") == created(third));
    REQUIRE(backend.del(replies + third).status == 200);
    CHECK(column(world, thread, "first_response_at").empty());
    CHECK(stats(backend).at("firstResponseSeconds").is_null());
}

TEST_CASE("the migration computes the times of stored threads", "[feedback]")
{
    World world;
    auto backend = world.as_backend(), other = world.as_backend("other"), user = world.as_user(ada);
    for (auto* client : {&backend, &other, &user}) {
        auto const thread = new_thread(*client);
        reply(*client, thread);
    }
    auto const thread = new_thread(other);
    for (auto const* status : {"resolved", "in-progress", "closed"})
        patch(other, thread, status);
    patch(backend, new_thread(backend), "resolved");
    auto const reopened = new_thread(backend);
    patch(backend, reopened, "resolved");
    patch(backend, reopened, "open");
    auto const times = [&] {
        return world.postgres.query("SELECT string_agg(concat(feedback_id, ' ', first_response_at, ' ', "
                                    "date_trunc('second', resolved_at)), "
                                    "E'\\n' ORDER BY feedback_id) FROM feedbacks");
    };
    auto const before = times();
    CHECK(std::ranges::count(before, ':') >= 8);
    world.postgres.query("UPDATE feedbacks SET first_response_at = NULL, resolved_at = NULL");
    CHECK(times() != before);
    auto const& migrations = feedback::migrations().migrations;
    auto const fill = std::ranges::find(migrations, "0007_fill_staff", &pg::Migration::name);
    REQUIRE(fill != migrations.end());
    world.postgres.query(std::string(fill->sql));
    CHECK(times() == before);
}
