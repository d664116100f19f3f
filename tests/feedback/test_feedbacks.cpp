#include "support/cross_origin.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

#include <set>

using boost::json::value;

TEST_CASE("a thread is created, read, changed and deleted", "[feedback]")
{
    World world;
    auto backend = world.as_backend();

    auto const made = backend.post("/v1/feedbacks",
        R"({"category":"bug","title":"Export","body":"Nothing happens","priority":"high",
            "appContext":{"appName":"Notes","appVersion":"4.2","os":"iOS","osVersion":"18"},"tags":["a","b\"\\{},"]})");
    REQUIRE(made.status == 201);
    auto const f = made.json();
    CHECK(text(f, "status") == "open");
    CHECK(text(f, "priority") == "high");
    CHECK(f.at("appContext").at("osVersion") == "18");
    CHECK(f.at("tags") == value({"a", "b\"\\{},"}));
    CHECK(f.at("attachmentIds") == boost::json::array());
    for (auto const* absent :
        {"userId", "userEmail", "assigneeId", "assigneeEmail", "lastReplyAt", "deletedAt"})
        CHECK(f.at(absent).is_null());
    CHECK(f.at("replyCount") == 0);
    CHECK(f.at("version") == 1);
    auto const path = "/v1/feedbacks/" + text(f, "feedbackId");
    CHECK(made.header("location") == path);

    SECTION("a read returns the same response as the creation")
    {
        auto const read = backend.get(path);
        CHECK(read.status == 200);
        CHECK(read.body == made.body);
        CHECK(read.header("etag") == made.header("etag"));
    }
    SECTION("the status may change to any other status, and each change is recorded")
    {
        for (auto const* status : {"in-progress", "resolved", "closed", "open", "closed"}) {
            auto const r = backend.patch(path, std::string(R"({"status":")") + status + "\"}");
            REQUIRE(r.status == 200);
            CHECK(text(r.json(), "status") == status);
        }
        CHECK(backend.patch(path, R"({"status":"closed"})").status == 200); // the status does not change
        auto const history = backend.get(path + "/history").json().at("items").as_array();
        REQUIRE(history.size() == 6);
        CHECK(text(history[0], "from") == "open");
        CHECK(text(history[0], "to") == "closed");
        CHECK(history[5].at("from").is_null());
        CHECK(text(history[5], "to") == "open");
        CHECK(text(history[5], "actorId") == "key:" + world.key().substr(0, 12));
        CHECK(all_items(backend, path + "/history", 1).size() == 6);
        auto const audit = backend.get("/v1/audit?action=feedback.status").json().at("items").as_array();
        CHECK(audit.size() == 5);
    }
    SECTION("null clears optional fields, and other fields stay")
    {
        auto r =
            backend.patch(path, R"({"assigneeId":"g","assigneeEmail":"g@example.com","tags":["c"]})").json();
        CHECK(text(r, "assigneeId") == "g");
        CHECK(text(r, "priority") == "high");
        CHECK(r.at("version") == 2);
        r = backend.patch(path, R"({"assigneeId":null,"assigneeEmail":null,"priority":null,"tags":null})")
                .json();
        CHECK(r.at("assigneeId").is_null());
        CHECK(r.at("assigneeEmail").is_null());
        CHECK(r.at("priority").is_null());
        CHECK(r.at("tags") == boost::json::array());
    }
    SECTION("deletion closes the thread, and the thread stays readable")
    {
        CHECK(backend.del(path).body == R"({"deleted":true})");
        CHECK(backend.del(path).body == R"({"deleted":true})");
        auto const gone = backend.get(path).json();
        CHECK(text(gone, "status") == "closed");
        CHECK_FALSE(gone.at("deletedAt").is_null());
        CHECK(backend.get("/v1/feedbacks").json().at("items").as_array().empty());
        CHECK(backend.get("/v1/feedbacks?includeDeleted=true").json().at("items").as_array().size() == 1);
        CHECK(backend.patch(path, R"({"status":"open"})").status == 409);
        CHECK(backend.post(path + "/replies", R"({"body":"x"})").status == 409);
        CHECK(backend.get(path + "/history").json().at("items").as_array().size() == 2);
        CHECK(backend.get("/v1/feedbacks/stats").json().at("total") == 0);
    }
    SECTION("If-Match guards changes")
    {
        auto const etag = made.header("etag");
        CHECK(backend.patch(path, R"({"status":"closed"})", {{"If-Match", "\"9.9\""}}).status == 412);
        CHECK(backend.del(path, {{"If-Match", "\"9.9\""}}).status == 412);
        auto const r = backend.patch(path, R"({"status":"closed"})", {{"If-Match", etag}});
        CHECK(r.status == 200);
        CHECK(r.header("etag") != etag);
        CHECK(backend.patch(path, R"({"status":"open"})", {{"If-Match", etag}}).status == 412);
        CHECK(backend.post(path + "/replies", R"({"body":"x"})").status == 201);
        CHECK(backend.patch(path, R"({"status":"open"})", {{"If-Match", r.header("etag")}}).status == 412);
        CHECK(backend.del(path, {{"If-Match", "*"}}).status == 200);
    }
}

TEST_CASE("an invalid request gets all faulty fields in the response and writes nothing", "[feedback]")
{
    World world;
    auto backend = world.as_backend();

    struct Case {
        char const* body;
        std::vector<std::string> pointers;
    };

    std::string const long_title =
        R"({"category":"bug","body":"x","title":")" + std::string(201, 'x') + "\"}";
    std::string const long_body =
        R"({"category":"bug","title":"x","body":")" + std::string(20'001, 'x') + "\"}";
    for (auto const& [body, pointers] :
        {
            Case{R"({})", {"/category", "/title", "/body"}},
            Case{R"({"category":"bog","title":"","body":null})", {"/category", "/title", "/body"}},
            Case{R"({"category":1,"title":[],"body":{}})", {"/category", "/title", "/body"}},
            Case{R"({"category":"bug","title":"a\u0000b","body":"x"})", {"/title"}},
            Case{long_title.c_str(), {"/title"}},
            Case{long_body.c_str(), {"/body"}},
            Case{
                R"({"category":"bug","title":"x","body":"x","tags":["a","a","a","a","a","a","a","a","a","a","a"]})",
                {"/tags"}},
            Case{R"({"category":"bug","title":"x","body":"x","tags":["",1]})", {"/tags/0", "/tags/1"}},
            Case{R"({"category":"bug","title":"x","body":"x","priority":"urgent"})", {"/priority"}},
            Case{R"({"category":"bug","title":"x","body":"x","appContext":{"os":1,"appName":""}})",
                {"/appContext/appName", "/appContext/os"}},
            Case{R"({"category":"bug","title":"x","body":"x","appContext":[]})", {"/appContext"}},
            Case{R"({"category":"bug","title":"x","body":"x","attachmentIds":["nope"]})",
                {"/attachmentIds/0"}},
            Case{
                R"({"category":"bug","title":"x","body":"x","attachmentIds":["0190a5d2-0000-7000-8000-000000000001"]})",
                {"/attachmentIds/0"}},
            Case{R"({"category":"bug","title":"x","body":"x","attachmentIds":["1","2","3","4","5","6"]})",
                {"/attachmentIds"}},
            Case{R"([])", {""}},
            Case{R"("text")", {""}},
        }) {
        CAPTURE(body);
        auto const r = backend.post("/v1/feedbacks", body);
        REQUIRE(r.status == 400);
        CHECK(r.header("content-type") == "application/problem+json");
        CHECK(text(r.json(), "error") == "VALIDATION_ERROR");
        std::vector<std::string> named;
        auto const problem = r.json();
        for (auto const& fault : problem.at("errors").as_array())
            named.push_back(text(fault, "pointer"));
        CHECK(named == pointers);
    }
    CHECK(text(backend.post("/v1/feedbacks", "{").json(), "error") == "MALFORMED_JSON");
    CHECK(text(backend.post("/v1/feedbacks", "{\"title\":\"\xff\"}").json(), "error") == "MALFORMED_JSON");
    std::string const deep = std::string(40, '[') + std::string(40, ']');
    CHECK(text(backend.post("/v1/feedbacks", deep).json(), "error") == "MALFORMED_JSON");
    CHECK(backend.post("/v1/feedbacks", "{}", {{"Content-Type", "text/plain"}}).status == 415);
    CHECK(backend.post("/v1/feedbacks", std::string((1 << 20) + 1, ' ')).status == 413);
    CHECK(world.postgres.query("SELECT count(*) FROM feedbacks") == "0");

    auto const path = "/v1/feedbacks/" + new_thread(backend);
    for (auto const* body : {R"({})", R"({"title":"new"})", R"({"status":null})", R"({"status":"done"})",
             R"({"tags":"x"})", R"({"assigneeEmail":"nobody"})", R"({"priority":7})"}) {
        CAPTURE(body);
        CHECK(backend.patch(path, body).status == 400);
    }
    CHECK(backend.get(path).json().at("version") == 1);
    for (auto const* query : {"limit=0", "limit=101", "limit=x", "status=done", "cursor=zzz", "sort=title",
             "createdAfter=yesterday", "includeDeleted=perhaps", "q=", "limit=1&limit=2", "tag=%00",
             "tag=%ff", "q=%zz"}) {
        CAPTURE(query);
        CHECK(backend.get(std::string("/v1/feedbacks?") + query).status == 400);
    }
    for (auto const* id :
        {"x", "0190a5d2-0000-7000-8000-00000000000", "0190a5d2-0000-7000-8000-000000000001", "%00"}) {
        CAPTURE(id);
        CHECK(backend.get(std::string("/v1/feedbacks/") + id).status == 404);
    }
}

TEST_CASE("limits of texts count code points", "[feedback]")
{
    World world;
    auto backend = world.as_backend();
    std::string title;
    for (int i = 0; i < 200; ++i)
        title += "🙂";
    CHECK(new_thread(backend, title).size() == 36);
    boost::json::object const body{{"category", "bug"}, {"title", title + "x"}, {"body", "x"}};
    CHECK(backend.post("/v1/feedbacks", boost::json::serialize(body)).status == 400);
}

TEST_CASE("an export contains all threads of the scope, one per line", "[feedback]")
{
    World world;
    auto backend = world.as_backend();
    std::set<std::string> made;
    for (int i = 0; i < 450; ++i)
        made.insert(new_thread(backend, "Number " + std::to_string(i)));
    auto const r = backend.get("/v1/feedbacks/export");
    CHECK(r.status == 200);
    CHECK(r.header("content-type") == "application/x-ndjson");
    std::set<std::string> exported;
    std::istringstream lines(r.body);
    for (std::string line; std::getline(lines, line);)
        exported.insert(text(boost::json::parse(line), "feedbackId"));
    CHECK(exported == made);
    CHECK(world.as_backend("other").get("/v1/feedbacks/export").body.empty());
}

TEST_CASE("each caller can use only the routes of its access level", "[feedback]")
{
    World world;
    auto ada_client = world.as_user(ada), bob_client = world.as_user(bob),
         admin = world.as_user(bob, "admin"), backend = world.as_backend();
    auto const made = ada_client.post("/v1/feedbacks", R"({"category":"bug","title":"x","body":"x"})");
    REQUIRE(made.status == 201);
    CHECK(text(made.json(), "userId") == ada);
    CHECK(text(made.json(), "userEmail") == "user@example.com");
    auto const path = "/v1/feedbacks/" + text(made.json(), "feedbackId");

    CHECK(ada_client.get(path).status == 200);
    CHECK(backend.get(path).status == 200);
    CHECK(admin.get(path).status == 200);
    auto const hidden = bob_client.get(path);
    CHECK(hidden.status == 404);
    auto const nowhere = bob_client.get("/v1/feedbacks/0190a5d2-0000-7000-8000-000000000009");
    CHECK(text(hidden.json(), "detail") == text(nowhere.json(), "detail"));
    CHECK(bob_client.patch(path, R"({"status":"closed"})").status == 404);
    CHECK(bob_client.del(path).status == 404);
    CHECK(bob_client.post(path + "/replies", R"({"body":"x"})").status == 404);
    CHECK(bob_client.get(path + "/replies").status == 404);
    CHECK(bob_client.get(path + "/history").status == 404);
    CHECK(ada_client.patch(path, R"({"status":"closed"})").status == 403);
    CHECK(ada_client.del(path).status == 403);
    CHECK(bob_client.get(std::string("/v1/feedbacks?userId=") + ada).json().at("items").as_array().empty());
    CHECK(ada_client.get("/v1/feedbacks").json().at("items").as_array().size() == 1);
    for (auto const* staff_only :
        {"/v1/feedbacks/stats", "/v1/feedbacks/export", "/v1/settings", "/v1/webhooks", "/v1/audit"}) {
        CAPTURE(staff_only);
        CHECK(ada_client.get(staff_only).status == 403);
        CHECK(admin.get(staff_only).status == 200);
    }
    CHECK(backend.get("/v1/keys").status == 403);
    CHECK(admin.get("/v1/keys").status == 403);
    CHECK(world.as_master().get("/v1/keys").status == 200);
    CHECK(admin.patch(path, R"({"status":"resolved"})").status == 200);
}

TEST_CASE("staff change the visibility of a thread, and users may not", "[feedback]")
{
    World world;
    auto user = world.as_user(ada), other = world.as_user(bob);
    auto const made =
        user.post("/v1/feedbacks", R"({"category":"feature","title":"x","body":"x","visibility":"public"})");
    REQUIRE(made.status == 201);
    CHECK(text(made.json(), "visibility") == "private");
    auto const path = "/v1/feedbacks/" + text(made.json(), "feedbackId");
    for (auto& [name, id, client] : all_staff(world)) {
        CAPTURE(name);
        for (auto const* visibility : {"public", "private"}) {
            auto const r = client.patch(path, testing::body({{"visibility", visibility}}));
            REQUIRE(r.status == 200);
            CHECK(text(r.json(), "visibility") == visibility);
            CHECK(text(user.get(path).json(), "visibility") == visibility);
        }
        for (auto const* bad : {R"({"visibility":"hidden"})", R"({"visibility":null})"}) {
            CAPTURE(bad);
            auto const r = client.patch(path, bad);
            CHECK(r.status == 400);
            CHECK_THAT(testing::faults_of(r), Catch::StartsWith("/visibility "));
        }
    }
    auto const before = user.get(path).body;
    auto const refused = user.patch(path, R"({"visibility":"public"})");
    CHECK(refused.status == 403);
    CHECK(testing::error_of(refused) == "FORBIDDEN");
    CHECK(other.patch(path, R"({"visibility":"public"})").status == 404);
    CHECK(user.get(path).body == before);
}

TEST_CASE("settings are changed field by field and guarded by their ETag", "[feedback]")
{
    World world;
    auto backend = world.as_backend();
    auto const empty = backend.get("/v1/settings");
    std::string const defaults =
        R"("publicBoard":false,"publicByDefault":false,"reopenOnReply":true,"notifyUsers":true,)"
        R"("boardName":null,"boardColor":null,"logo":null})";
    CHECK(empty.body == R"({"allowedOrigins":[],"notifyEmail":null,)" + defaults);
    auto const set = backend.patch("/v1/settings", R"({"allowedOrigins":["HTTPS://App.Example.com:443"]})");
    REQUIRE(set.status == 200);
    CHECK(set.json().at("allowedOrigins") == boost::json::array{"https://app.example.com"});
    CHECK(backend
              .patch("/v1/settings", R"({"notifyEmail":"ops@example.com"})",
                  {{"If-Match", empty.header("etag")}})
              .status == 412);
    auto const both = backend.patch(
        "/v1/settings", R"({"notifyEmail":"ops@example.com"})", {{"If-Match", set.header("etag")}});
    CHECK(both.body ==
          R"({"allowedOrigins":["https://app.example.com"],"notifyEmail":"ops@example.com",)" + defaults);
    CHECK(backend.get("/v1/settings").body == both.body);
    CHECK(world.as_backend("demo").get("/v1/settings").body == empty.body);
    for (auto const* bad : {R"({})", R"({"allowedOrigins":["*"]})", R"({"allowedOrigins":["https://a/b"]})",
             R"({"notifyEmail":"x"})", R"({"publicBoard":"yes"})", R"({"notifyUsers":1})"}) {
        CAPTURE(bad);
        CHECK(backend.patch("/v1/settings", bad).status == 400);
    }
    auto const audit = backend.get("/v1/audit?action=settings.updated").json().at("items").as_array();
    CHECK(audit.size() == 2);
    auto const cors = backend.get("/v1/feedbacks", {{"Origin", "https://app.example.com"}});
    CHECK(cors.header("access-control-allow-origin") == "https://app.example.com");
    CHECK(backend.get("/v1/feedbacks", {{"Origin", "https://evil.example.com"}})
            .header("access-control-allow-origin")
            .empty());
}

TEST_CASE("null restores the default of a switch in the settings", "[feedback]")
{
    World world;
    auto backend = world.as_backend();
    for (auto const* name : {"publicBoard", "publicByDefault", "reopenOnReply", "notifyUsers"}) {
        INFO(name);
        auto const patch = [&](std::string const& value) {
            auto const r = backend.patch("/v1/settings", "{\"" + std::string(name) + "\":" + value + "}");
            REQUIRE(r.status == 200);
            return r.json().at(name).as_bool();
        };
        bool const by_default = backend.get("/v1/settings").json().at(name).as_bool();
        CHECK(patch(by_default ? "false" : "true") != by_default);
        CHECK(patch("null") == by_default);
    }
}

TEST_CASE("pages of a tenant's own auth host may call the API without a setting", "[feedback]")
{
    World const world;
    testing::check_pages_of_auth_host(world, "PATCH", "/v1/settings");
}

TEST_CASE("a user is limited to 600 requests per minute, and a key is not", "[feedback]")
{
    World world;
    auto user = world.as_user(ada);
    auto const first = user.get("/v1/feedbacks");
    CHECK(first.header("ratelimit-policy") == R"("default";q=600;w=60)");
    for (int i = 1; i < 600; ++i)
        REQUIRE(user.get("/v1/feedbacks").status == 200);
    auto const refused = user.get("/v1/feedbacks");
    CHECK(refused.status == 429);
    CHECK(text(refused.json(), "error") == "RATE_LIMITED");
    CHECK_FALSE(refused.header("retry-after").empty());
    CHECK(world.as_user(bob).get("/v1/feedbacks").status == 200);
    CHECK(world.as_user(ada, "user", "demo").get("/v1/feedbacks").status == 200);
    CHECK(world.as_backend().get("/v1/feedbacks").header("ratelimit").empty());
}
