#include "support/eventually.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

#include <set>

// The routes of the board: public threads, for everyone.

namespace {

constexpr char const* secrets[] = {"marker-note", "marker-assignee", "marker@example.com", "marker-file"};

constexpr char const* app = "https://app.example.com";
constexpr char const* stranger = "https://evil.example.com";

struct Board : World {
    Board()
    {
        REQUIRE(as_backend().patch("/v1/settings", R"({"publicBoard":true})").status == 200);
        REQUIRE(reader().get("/board/threads").status == 200);
    }

    testing::HttpClient reader() { return client(); }

    std::string new_post(
        std::string const& title, std::string const& category = "feature", std::string const& body = "b")
    {
        auto backend = as_backend();
        auto const made = backend.post("/v1/feedbacks", R"({"body":")" + body + R"(","title":")" + title +
                                                            R"(","category":")" + category +
                                                            R"(","userId":"marker-user"})");
        REQUIRE(made.status == 201);
        auto const id = text(made.json(), "feedbackId");
        REQUIRE(backend.patch("/v1/feedbacks/" + id, R"({"visibility":"public"})").status == 200);
        return id;
    }
};

std::vector<std::string> titles(testing::HttpResponse const& response)
{
    std::vector<std::string> titles;
    for (auto const& item : response.json().at("items").as_array())
        titles.push_back(text(item, "title"));
    return titles;
}

using Titles = std::vector<std::string>;

} // namespace

TEST_CASE("the board shows public threads to everyone", "[board]")
{
    Board world;
    auto backend = world.as_backend();
    auto reader = world.reader();
    auto const id = world.new_post("first");
    new_thread(backend, "private");
    auto const listed = reader.get("/board/threads");
    REQUIRE(listed.status == 200);
    REQUIRE(titles(listed) == Titles{"first"});
    std::set<std::string> members;
    for (auto const& [name, value] : listed.json().at("items").at(0).as_object())
        members.emplace(name);
    CHECK(members == std::set<std::string>{"feedbackId", "title", "body", "status", "category", "tags",
                         "voteCount", "replyCount", "createdAt"});
    CHECK(reader.get("/board/threads/" + id).status == 200);
    auto user = world.as_user(ada);
    CHECK(user.get("/board/threads").json().at("items").at(0).at("voted") == false);
    REQUIRE(user.put("/v1/feedbacks/" + id + "/vote", "").status == 200);
    CHECK(user.get("/board/threads").json().at("items").at(0).at("voted") == true);
    CHECK(user.get("/board/threads/" + id).json().at("voted") == true);
    CHECK_FALSE(reader.get("/board/threads/" + id).json().as_object().contains("voted"));
}

TEST_CASE("while the board is off, its routes answer 404", "[board]")
{
    Board world;
    auto backend = world.as_backend();
    auto reader = world.reader();
    auto const id = world.new_post("first");
    REQUIRE(backend.patch("/v1/settings", R"({"publicBoard":false})").status == 200);
    CHECK(reader.get("/board/threads").status == 404);
    CHECK(reader.get("/board/threads/" + id).status == 404);
}

TEST_CASE("private, deleted and merged threads are not listed", "[board]")
{
    Board world;
    auto backend = world.as_backend();
    auto reader = world.reader();
    auto const hidden = world.new_post("hidden"), deleted = world.new_post("deleted"),
               merged = world.new_post("merged"), target = world.new_post("target");
    REQUIRE(backend.patch("/v1/feedbacks/" + hidden, R"({"visibility":"private"})").status == 200);
    REQUIRE(backend.del("/v1/feedbacks/" + deleted).status == 200);
    REQUIRE(
        backend.post("/v1/feedbacks/" + merged + "/merge", R"({"into":")" + target + "\"}").status == 200);
    for (auto const* sort : {"votes", "createdAt"})
        CHECK(titles(reader.get(std::string("/board/threads?sort=") + sort)) == Titles{"target"});
    CHECK(reader.get("/board/threads/" + hidden).status == 404);
    CHECK(reader.get("/board/threads/" + deleted).status == 404);
    CHECK(reader.get("/board/threads/" + merged).status == 200);
    CHECK(reader.get("/board/threads/x").status == 404);
}

TEST_CASE("the board's list is filtered, sorted and paged", "[board]")
{
    Board world;
    auto backend = world.as_backend();
    auto reader = world.reader();
    auto const a = world.new_post("a"), b = world.new_post("b", "bug"), c = world.new_post("c");
    REQUIRE(backend.put("/v1/feedbacks/" + a + "/votes/u", "").status == 200);
    REQUIRE(backend.patch("/v1/feedbacks/" + c, R"({"status":"in-progress"})").status == 200);
    CHECK(titles(reader.get("/board/threads")) == Titles{"a", "c", "b"});
    CHECK(titles(reader.get("/board/threads?sort=createdAt")) == Titles{"c", "b", "a"});
    CHECK(titles(reader.get("/board/threads?status=open")) == Titles{"a", "b"});
    CHECK(titles(reader.get("/board/threads?status=open,in-progress&category=feature")) == Titles{"a", "c"});
    for (auto const* sort : {"votes", "createdAt"}) {
        auto const path = std::string("/board/threads?limit=2&sort=") + sort;
        auto const first = reader.get(path).json();
        auto const second = reader.get(path + "&cursor=" + text(first, "cursor")).json();
        CHECK(first.at("items").as_array().size() == 2);
        CHECK(second.at("items").as_array().size() == 1);
        CHECK(second.at("cursor").is_null());
    }
    for (auto const* bad : {"status=x", "category=bug,x", "sort=lastReplyAt", "limit=0", "cursor=x", "q="})
        CHECK(reader.get(std::string("/board/threads?") + bad).status == 400);
}

TEST_CASE("the board never shows users, staff, internal notes and attachments", "[board]")
{
    Board world;
    auto backend = world.as_backend();
    auto reader = world.reader();
    auto user = world.as_user("marker-user");
    auto const file =
        text(user.post("/v1/attachments/presign",
                     R"({"filename":"marker-file.txt","contentType":"text/plain","sizeBytes":5})")
                 .json(),
            "attachmentId");
    auto const id = world.new_post("title");
    auto const path = "/v1/feedbacks/" + id;
    REQUIRE(backend.patch(path, R"({"assigneeId":"marker-assignee","assigneeEmail":"marker@example.com"})")
                .status == 200);
    REQUIRE(backend.post(path + "/replies", R"({"body":"marker-note","internal":true})").status == 201);
    REQUIRE(backend.post(path + "/replies", R"({"body":"public answer"})").status == 201);
    REQUIRE(user.post(path + "/replies", R"({"body":"thanks"})").status == 201);
    REQUIRE(world.as_user("marker-voter").put(path + "/vote", "").status == 200);

    auto const listed = reader.get("/board/threads"), read = reader.get("/board/threads/" + id);
    CHECK(listed.json().at("items").at(0).at("replyCount") == 2);
    auto const& replies = read.json().at("replies").as_array();
    REQUIRE(replies.size() == 2);
    CHECK(text(replies[0], "body") == "public answer");
    CHECK(text(replies[0], "authorRole") == "admin");
    CHECK(replies[0].as_object().size() == 3);
    for (auto const& body : {listed.body, read.body, world.as_user(bob).get("/board/threads").body}) {
        CHECK(body.find(file) == std::string::npos);
        CHECK(body.find("marker-user") == std::string::npos);
        CHECK(body.find("marker-voter") == std::string::npos);
        CHECK(body.find("key:") == std::string::npos);
        for (auto const* secret : secrets)
            CHECK(body.find(secret) == std::string::npos);
    }
    CHECK(reader.get("/board/threads?q=marker").json().at("items").as_array().empty());
}

TEST_CASE("a preflight request for the board is answered although its host names no known tenant", "[board]")
{
    Board world;
    auto reader = world.reader();
    auto const post = "/board/threads/" + world.new_post("title");
    for (auto const* host : {"feedback.localhost", "nobody.feedback.localhost", "api.example.com"}) {
        for (auto const* origin : {app, stranger}) {
            for (std::string const& path : {std::string("/board/threads?sort=votes"), post}) {
                CAPTURE(host, origin, path);
                auto const answer = reader.request("OPTIONS", path,
                    {{"Host", host}, {"Origin", origin}, {"Access-Control-Request-Method", "GET"},
                        {"Access-Control-Request-Headers", "authorization,x-tenant-slug"}});
                CHECK(answer.status == 204);
                CHECK(answer.header("access-control-allow-origin") == origin);
                CHECK(answer.header("access-control-allow-methods") == "GET");
                CHECK(answer.header("access-control-allow-headers") == "authorization,x-tenant-slug");
            }
        }
    }
}

TEST_CASE("pages of allowed origins read the board, with and without a user token", "[board]")
{
    Board world;
    auto backend = world.as_backend();
    auto const post = "/board/threads/" + world.new_post("title");
    testing::require(
        200, backend.patch("/v1/settings", testing::body({{"allowedOrigins", boost::json::array{app}}})));
    auto reader = world.reader(), user = world.as_user(ada), other = world.client("other-sandbox");
    testing::HttpClient::Headers const by_header{
        {"Host", "feedback.localhost"}, {"X-Tenant-Slug", "demo"}, {"X-Tenant-Env", "sandbox"}};
    auto const allowed = [](testing::HttpClient& client, std::string const& path, std::string const& origin,
                             unsigned status, testing::HttpClient::Headers headers = {}) {
        headers.emplace_back("Origin", origin);
        auto const r = client.get(path, headers);
        CHECK(r.status == status);
        CHECK_THAT(r.header("vary"), Catch::Contains("Origin"));
        return r.header("access-control-allow-origin");
    };
    for (std::string const& path : {std::string("/board/threads"), post}) {
        CAPTURE(path);
        for (auto* const client : {&reader, &user}) {
            CAPTURE(client == &user);
            CHECK(allowed(*client, path, app, 200) == app);
            CHECK(allowed(*client, path, stranger, 200).empty());
            CHECK(allowed(*client, path, app, 200, by_header) == app);
            CHECK(allowed(*client, path, stranger, 200, by_header).empty());
        }
        CHECK(allowed(other, path, app, 404).empty());
        for (auto const* origin : {app, stranger}) {
            auto const preflight = reader.request(
                "OPTIONS", path, {{"Origin", origin}, {"Access-Control-Request-Method", "GET"}});
            CHECK(preflight.status == 204);
            CHECK(preflight.header("access-control-allow-origin") ==
                  (origin == std::string_view(app) ? app : ""));
        }
    }
    testing::require(200, backend.patch("/v1/settings", R"({"publicBoard":false})"));
    CHECK(allowed(reader, post, app, 404) == app); // a page can read the error
}

TEST_CASE("the board's replies are paged", "[board]")
{
    Board world;
    auto backend = world.as_backend();
    auto reader = world.reader();
    auto const id = world.new_post("title");
    for (int n = 0; n < 3; ++n)
        REQUIRE(backend.post("/v1/feedbacks/" + id + "/replies", R"({"body":"r"})").status == 201);
    auto const first = reader.get("/board/threads/" + id + "?limit=2").json();
    CHECK(first.at("replies").as_array().size() == 2);
    auto const second =
        reader.get("/board/threads/" + id + "?limit=2&cursor=" + text(first, "cursor")).json();
    CHECK(second.at("replies").as_array().size() == 1);
    CHECK(second.at("cursor").is_null());
}

TEST_CASE("a page of the board ends before its texts are too long", "[board]")
{
    Board world;
    auto backend = world.as_backend();
    auto reader = world.reader();
    std::string text;
    for (int n = 0; n < 20'000; ++n)
        text += "\xf0\x9f\x99\x82"; // 80 KB
    std::string const id = world.new_post("first");
    for (int n = 0; n < 8; ++n) {
        world.new_post("title", "feature", text);
        auto const reply = R"({"body":")" + text + "\"}";
        REQUIRE(backend.post("/v1/feedbacks/" + id + "/replies", reply).status == 201);
    }
    for (std::string const path : {"/board/threads?sort=votes", "/board/threads?sort=createdAt"}) {
        auto const first = reader.get(path + "&limit=100");
        CHECK(first.body.size() < 700'000);
        CHECK(first.json().at("items").as_array().size() == 7);
        CHECK(all_items(reader, path, 100).size() == 9);
    }
    auto const first = reader.get("/board/threads/" + id + "?limit=100").json();
    CHECK(first.at("replies").as_array().size() == 7);
    auto const rest =
        reader.get("/board/threads/" + id + "?limit=100&cursor=" + ::text(first, "cursor")).json();
    CHECK(rest.at("replies").as_array().size() == 1);
    CHECK(rest.at("cursor").is_null());
}

TEST_CASE("the requests of one network to the board are limited, and those of users are not", "[board]")
{
    Board world;
    auto reader = world.reader();
    int status = 0;
    for (int n = 0; n <= 600 && status != 429; ++n)
        status = static_cast<int>(reader.get("/board/threads?limit=1").status);
    CHECK(status == 429);
    CHECK(world.as_user(ada).get("/board/threads?limit=1").status == 200);
    CHECK(reader.get("/board").status == 429);
    CHECK(reader.get("/board/logo").status == 429);
}
