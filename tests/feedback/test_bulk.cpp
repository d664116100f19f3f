#include "receiver.hpp"
#include "support/eventually.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <atomic>
#include <thread>

namespace {

namespace json = boost::json;

testing::HttpResponse set(
    testing::HttpClient& client, std::vector<std::string> const& ids, json::object const& changes)
{
    return client.post("/v1/feedbacks/bulk",
        testing::body({{"feedbackIds", json::array(ids.begin(), ids.end())}, {"set", changes}}));
}

std::vector<std::string> make_threads(testing::HttpClient& client, int count)
{
    std::vector<std::string> ids;
    for (int i = 0; i < count; ++i)
        ids.push_back(new_thread(client, "Number " + std::to_string(i)));
    return ids;
}

json::array results_of(testing::HttpResponse const& response)
{
    INFO(response.body);
    REQUIRE(response.status == 200);
    return response.json().at("results").as_array();
}

constexpr char const* unknown = "0190a5d2-0000-7000-8000-000000000001";

} // namespace

TEST_CASE("one request changes many threads, and returns their results in its order", "[feedback]")
{
    World world;
    auto backend = world.as_backend(), user = world.as_user(ada);
    auto const ids = make_threads(user, 4);
    REQUIRE(backend.del("/v1/feedbacks/" + ids[1]).status == 200);
    world.postgres.query("UPDATE feedbacks SET status = 'closed', merged_into = '" + ids[0] +
                         "' WHERE feedback_id = '" + ids[2] + "'");
    auto const deleted_before = backend.get("/v1/feedbacks/" + ids[1]).body;
    auto const merged_before = backend.get("/v1/feedbacks/" + ids[2]).body;

    std::vector<std::string> const order{ids[3], "no-uuid", ids[1], unknown, ids[2], ids[0]};
    auto const results = results_of(set(backend, order,
        {{"status", "resolved"}, {"priority", "high"}, {"tags", {"a", "b"}}, {"assigneeId", "g"},
            {"assigneeEmail", "grace@example.com"}}));
    std::vector<std::int64_t> const statuses{200, 404, 409, 404, 409, 200};
    REQUIRE(results.size() == order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        CAPTURE(i);
        CHECK(text(results[i], "feedbackId") == order[i]);
        CHECK(results[i].at("status") == statuses[i]);
        CHECK(results[i].as_object().contains("feedback") == (statuses[i] == 200));
    }
    for (auto const i : {std::size_t{0}, std::size_t{5}}) {
        auto const& thread = results[i].at("feedback");
        CHECK(thread == backend.get("/v1/feedbacks/" + order[i]).json());
        CHECK(thread.at("status") == "resolved");
        CHECK(thread.at("priority") == "high");
        CHECK(thread.at("tags") == json::array{"a", "b"});
        CHECK(thread.at("assigneeId") == "g");
        CHECK(thread.at("assigneeEmail") == "grace@example.com");
        CHECK(thread.at("version") == 2);
    }
    CHECK(backend.get("/v1/feedbacks/" + ids[1]).body == deleted_before);
    CHECK(backend.get("/v1/feedbacks/" + ids[2]).body == merged_before);
}

TEST_CASE("a bulk change has the effects of a PATCH of each thread", "[feedback]")
{
    World world;
    testing::Receiver const receiver([](testing::Received const&) { return testing::reply(204); });
    auto backend = world.as_backend(), admin = world.as_user(bob, "admin");
    auto const ids = make_threads(backend, 3);
    REQUIRE(backend.patch("/v1/feedbacks/" + ids[2], R"({"status":"closed"})").status == 200);
    REQUIRE(backend.post("/v1/webhooks", testing::body({{"url", receiver.url()}})).status == 201);

    auto const results = results_of(set(admin, ids, {{"status", "closed"}}));
    CHECK(results[2].at("feedback").at("version") ==
          3); // a PATCH without a new value advances the version, too
    for (auto const& id : ids) {
        auto const history = all_items(backend, "/v1/feedbacks/" + id + "/history");
        REQUIRE(history.size() == 2);
        CHECK(history[0].at("from") == "open");
        CHECK(history[0].at("to") == "closed");
    }
    CHECK(text(all_items(backend, "/v1/feedbacks/" + ids[0] + "/history")[0], "actorId") == bob);
    auto const audit = all_items(backend, "/v1/audit?action=feedback.status&actor=" + std::string(bob));
    REQUIRE(audit.size() == 2);
    for (auto const& entry : audit) {
        CHECK(std::ranges::find(ids, text(entry, "subjectId")) != ids.end());
        CHECK(entry.at("before").at("status") == "open");
        CHECK(entry.at("after").at("status") == "closed");
    }
    REQUIRE(testing::eventually([&] { return receiver.received().size() == 3; }));
    for (auto const& received : receiver.received()) {
        auto const event = json::parse(received.body);
        CHECK(event.at("type") == "feedback.updated");
        auto const shown = std::ranges::find_if(
            results, [&](json::value const& r) { return r.at("feedback") == event.at("data"); });
        CHECK(shown != results.end());
    }
}

TEST_CASE("a bulk change of the status requests an email for each thread whose status changes", "[feedback]")
{
    World world;
    auto backend = world.as_backend(), user = world.as_user(ada);
    auto const ids = make_threads(user, 3);
    REQUIRE(backend.patch("/v1/feedbacks/" + ids[0], R"({"status":"closed"})").status == 200);
    world.postgres.query("UPDATE feedbacks SET user_email = 'ada@example.com', user_email_verified = true");
    results_of(set(backend, ids, {{"status", "closed"}}));
    auto const mails = [&](std::string const& condition) {
        return world.postgres.query("SELECT count(*) FROM thread_mails WHERE " + condition);
    };
    CHECK(testing::eventually([&] { return mails("true") == "2"; }));
    CHECK(mails("feedback_id = '" + ids[0] + "'") == "0");
}

TEST_CASE("a bulk change of 100 threads clears fields and changes each thread once", "[feedback]")
{
    World world;
    auto backend = world.as_backend();
    auto const ids = make_threads(backend, 100);
    REQUIRE(results_of(set(backend, ids, {{"priority", "low"}, {"tags", json::array{"x"}}})).size() == 100);
    auto const results = results_of(set(backend, ids, {{"priority", nullptr}, {"tags", nullptr}}));
    for (auto const& result : results) {
        CHECK(result.at("feedback").at("priority").is_null());
        CHECK(result.at("feedback").at("tags").as_array().empty());
        CHECK(result.at("feedback").at("version") == 3);
    }
}

TEST_CASE("staff change the visibility of many threads with one request", "[feedback]")
{
    World world;
    auto backend = world.as_backend(), user = world.as_user(ada);
    auto reader = world.client();
    REQUIRE(backend.patch("/v1/settings", R"({"publicBoard":true})").status == 200);
    auto const ids = make_threads(user, 3);
    for (auto& [name, id, client] : all_staff(world)) {
        CAPTURE(name);
        for (std::string const visibility : {"public", "private"}) {
            CAPTURE(visibility);
            bool const is_public = visibility == "public";
            auto const results =
                results_of(set(client, ids, {{"visibility", visibility}, {"tags", json::array{name}}}));
            REQUIRE(results.size() == ids.size());
            for (std::size_t i = 0; i < ids.size(); ++i) {
                CHECK(results[i].at("status") == 200);
                CHECK(text(results[i].at("feedback"), "visibility") == visibility);
                CHECK(results[i].at("feedback") == backend.get("/v1/feedbacks/" + ids[i]).json());
                CHECK(results[i].at("feedback").at("tags") == json::array{name});
                CHECK(reader.get("/board/threads/" + ids[i]).status == (is_public ? 200 : 404));
            }
            CHECK(reader.get("/board/threads").json().at("items").as_array().size() ==
                  (is_public ? ids.size() : 0));
        }
    }
    CHECK(testing::faults_of(set(backend, ids, {{"visibility", "hidden"}})) == "/set/visibility not_allowed");
    auto const refused = set(user, ids, {{"visibility", "public"}});
    CHECK(testing::error_of(refused) == "FORBIDDEN");
    CHECK(text(user.get("/v1/feedbacks/" + ids[0]).json(), "visibility") == "private");
}

TEST_CASE("an invalid bulk change reports all faults and changes nothing", "[feedback]")
{
    World world;
    auto backend = world.as_backend();
    auto const id = new_thread(backend);
    auto const faults = [&](std::string const& body) {
        auto const r = backend.post("/v1/feedbacks/bulk", body);
        CHECK(r.status == 400);
        return testing::faults_of(r);
    };
    CHECK(faults("{}") == "/feedbackIds required\n/set required");
    CHECK(faults(R"({"feedbackIds":[],"set":{"status":"closed"}})") == "/feedbackIds required");
    CHECK(faults(R"({"feedbackIds":[")" + id + R"("],"set":{}})") == "/set required");
    CHECK(faults(R"({"feedbackIds":[")" + id + R"("],"set":{"status":"done","priority":7}})") ==
          "/set/status not_allowed\n/set/priority type");
    CHECK(faults(R"({"feedbackIds":[")" + id + R"("],"set":"closed"})").starts_with("/set type"));
    auto upper = id;
    std::ranges::transform(
        upper, upper.begin(), [](char c) { return c >= 'a' && c <= 'z' ? char(c - 32) : c; });
    CHECK(faults(R"({"feedbackIds":[")" + id + R"(","x",")" + upper + R"("],"set":{"status":"closed"}})") ==
          "/feedbackIds/2 duplicate");
    CHECK(faults(R"({"feedbackIds":["x","x"],"set":{"status":"closed"}})") == "/feedbackIds/1 duplicate");
    std::vector<std::string> many(101, id);
    CHECK(set(backend, many, {{"status", "closed"}}).status == 400);
    CHECK(backend.get("/v1/feedbacks/" + id).json().at("version") == 1);
    CHECK(set(*std::make_unique<testing::HttpClient>(world.as_user(ada)), {id}, {{"status", "closed"}})
              .status == 403);
}

TEST_CASE("bulk changes of the same threads in different orders all succeed", "[feedback]")
{
    World world;
    auto backend = world.as_backend();
    auto const ids = make_threads(backend, 20);
    std::atomic<int> failures = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t) {
        threads.emplace_back([&, t] {
            auto client = world.as_backend();
            auto order = ids;
            if (t % 2 == 1) std::ranges::reverse(order);
            for (int n = 0; n < 5; ++n)
                if (set(client, order, {{"status", n % 2 == 0 ? "closed" : "open"}}).status != 200)
                    ++failures;
        });
    }
    for (auto& thread : threads)
        thread.join();
    CHECK(failures == 0);
    for (auto const& id : ids)
        CHECK(backend.get("/v1/feedbacks/" + id).json().at("version") == 41);
}
