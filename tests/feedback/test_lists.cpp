#include "world.hpp"

#include <catch2/catch.hpp>

#include <set>

// Filters and orders of GET /v1/feedbacks.

TEST_CASE("lists are filtered, searched and sorted", "[feedback]")
{
    World world;
    auto backend = world.as_backend();
    auto ada_client = world.as_user(ada);
    auto const make = [&](testing::HttpClient& client, std::string const& rest) {
        auto const r = client.post("/v1/feedbacks", R"({"body":"The quick brown fox",)" + rest + "}");
        REQUIRE(r.status == 201);
        return text(r.json(), "feedbackId");
    };
    auto const one =
        make(backend, R"("category":"bug","title":"Login page","tags":["web","login"],"priority":"low")");
    auto const two =
        make(backend, R"("category":"feature","title":"Dark mode","tags":["ui"],"priority":"high")");
    auto const three = make(ada_client, R"("category":"bug","title":"Crash at login","tags":["ios"])");
    REQUIRE(backend.patch("/v1/feedbacks/" + two, R"({"status":"resolved","assigneeId":"g"})").status == 200);
    REQUIRE(backend.post("/v1/feedbacks/" + one + "/replies", R"({"body":"x"})").status == 201);

    auto const ids = [&](std::string const& query) {
        std::vector<std::string> found;
        for (auto const& item : all_items(backend, "/v1/feedbacks?" + query, 1))
            found.push_back(text(item, "feedbackId"));
        return found;
    };
    using Ids = std::vector<std::string>;
    CHECK(ids("x=y") == Ids{three, two, one});
    CHECK(ids("status=open") == Ids{three, one});
    CHECK(ids("status=resolved") == Ids{two});
    CHECK(ids("category=bug") == Ids{three, one});
    CHECK(ids("priority=high") == Ids{two});
    CHECK(ids("assigneeId=g") == Ids{two});
    CHECK(ids("assigned=true") == Ids{two});
    CHECK(ids("assigned=false") == Ids{three, one});
    CHECK(ids("assigned=false&assigneeId=g").empty());
    CHECK(backend.get("/v1/feedbacks?assigned=no").status == 400);
    CHECK(ids(std::string("userId=") + ada) == Ids{three});
    CHECK(ids("tag=login") == Ids{one});
    CHECK(ids("q=login") == Ids{three, one});
    CHECK(ids("q=login%20-crash") == Ids{one});
    CHECK(ids("q=%22quick%20brown%22&category=feature") == Ids{two});
    CHECK(ids("q=absent").empty());
    CHECK(ids("sort=lastReplyAt") == Ids{one, three, two});
    CHECK(ids("status=open&category=bug&tag=ios&q=crash") == Ids{three});
    auto const first_created = text(backend.get("/v1/feedbacks/" + one).json(), "createdAt");
    CHECK(ids("createdBefore=" + first_created).empty());
    CHECK(ids("createdBefore=2999-01-01T00:00:00Z") == Ids{three, two, one});
    CHECK(ids("createdAfter=2999-01-01T00:00:00Z").empty());
    auto const cursor = text(backend.get("/v1/feedbacks?limit=1&status=open").json(), "cursor");
    CHECK(backend.get("/v1/feedbacks?limit=2&status=open&cursor=" + cursor).status == 200);
    CHECK(backend.get("/v1/feedbacks?limit=1&status=closed&cursor=" + cursor).status == 400);

    auto const stats = backend.get("/v1/feedbacks/stats").json();
    CHECK(stats.at("total") == 3);
    CHECK(stats.at("byStatus").at("open") == 2);
    CHECK(stats.at("byCategory").at("support") == 0);
    CHECK(stats.at("byPriority").at("none") == 1);
}

TEST_CASE("a list takes several statuses, categories and priorities", "[feedback]")
{
    World world;
    auto backend = world.as_backend(), user = world.as_user(ada);
    char const* const fields[][3] = {{"open", "bug", "low"}, {"in-progress", "feature", "medium"},
        {"resolved", "general", "high"}, {"closed", "support", "critical"}, {"open", "bug", nullptr}};
    std::vector<std::string> ids;
    ids.reserve(std::size(fields));
    for (auto const& [status, category, priority] : fields) {
        boost::json::object thread{{"category", category}, {"title", "Title"}, {"body", "x"}};
        if (priority != nullptr) thread["priority"] = priority;
        auto const made = testing::require(201, user.post("/v1/feedbacks", testing::body(thread)));
        ids.push_back(text(made.json(), "feedbackId"));
        testing::require(
            200, backend.patch("/v1/feedbacks/" + ids.back(), testing::body({{"status", status}})));
    }

    struct Case {
        std::string query;
        std::set<std::size_t> places;
    };

    for (auto const& [query, places] :
        {Case{"status=open,resolved", {0, 2, 4}}, Case{"status=closed,in-progress", {1, 3}},
            Case{"status=open,open", {0, 4}}, Case{"status=open%2Cclosed", {0, 3, 4}},
            Case{"category=bug,support", {0, 3, 4}}, Case{"category=feature,general", {1, 2}},
            Case{"priority=low,critical", {0, 3}}, Case{"priority=low,medium,high,critical", {0, 1, 2, 3}},
            Case{"status=open,in-progress&category=bug,feature", {0, 1, 4}},
            Case{"status=open,in-progress&category=bug,general&priority=low,medium", {0}},
            Case{"status=resolved,closed&category=bug,feature", {}}}) {
        std::set<std::string> expected;
        for (auto const place : places)
            expected.insert(ids[place]);
        for (auto const* more : {"", "&sort=lastReplyAt", "&sort=votes", "&q=title"}) {
            CAPTURE(query, more);
            for (auto* const client : {&backend, &user}) {
                auto const found = ids_of(all_items(*client, "/v1/feedbacks?" + query + more, 2));
                CHECK(found.size() == expected.size());
                CHECK(std::set(found.begin(), found.end()) == expected);
            }
        }
    }
}

TEST_CASE("an unknown value in a list of values is refused with the name of the parameter", "[feedback]")
{
    World world;
    auto backend = world.as_backend();
    std::pair<std::string, std::string> const known[] = {
        {"status", "open"}, {"category", "bug"}, {"priority", "low"}};
    for (auto const& [name, value] : known) {
        for (auto const& values : {value + ",x", "x," + value, value + ",x," + value, value + ",",
                 "," + value, value + ",%20" + value, "OPEN," + value}) {
            CAPTURE(name, values);
            auto const r = backend.get("/v1/feedbacks?" + name + '=' + values);
            CHECK(r.status == 400);
            CHECK(testing::faults_of(r) == "?" + name + " not_allowed");
        }
    }
    CHECK(testing::faults_of(backend.get("/v1/feedbacks?status=open,x&category=x,bug&priority=low,x,high")) ==
          "?status not_allowed\n?category not_allowed\n?priority not_allowed");
}
