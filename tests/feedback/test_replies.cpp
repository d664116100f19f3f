#include "world.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <thread>

TEST_CASE("replies are counted, ordered and attributed", "[feedback]")
{
    World world;
    auto backend = world.as_backend();
    auto user = world.as_user(ada), owner = world.as_user(bob, "owner"), master = world.as_master();
    auto const path = "/v1/feedbacks/" + new_thread(user);

    struct Case {
        testing::HttpClient* client;
        std::string id, role;
    };

    for (auto const& [client, id, role] :
        {Case{&user, ada, "user"}, Case{&backend, "key:" + world.key().substr(0, 12), "admin"},
            Case{&owner, bob, "owner"}, Case{&master, "master", "owner"}}) {
        auto const r = client->post(path + "/replies", R"({"body":"Hello"})");
        REQUIRE(r.status == 201);
        CHECK(text(r.json(), "authorId") == id);
        CHECK(text(r.json(), "authorRole") == role);
    }
    auto const f = user.get(path).json();
    CHECK(f.at("replyCount") == 4);
    auto const replies = all_items(user, path + "/replies", 1);
    REQUIRE(replies.size() == 4);
    CHECK(text(replies[0], "authorId") == ada);
    CHECK(text(replies[3], "authorId") == "master");
    CHECK(text(f, "lastReplyAt") == text(replies[3], "createdAt"));
    for (auto const* bad : {R"({})", R"({"body":""})", R"({"body":1})", R"({"body":"x","internal":"yes"})",
             R"({"body":"x","attachmentIds":"y"})"})
        CHECK(backend.post(path + "/replies", bad).status == 400);
    CHECK(backend.post("/v1/feedbacks/0190a5d2-0000-7000-8000-000000000001/replies", R"({"body":"x"})")
              .status == 404);
    CHECK(user.get(path).json().at("replyCount") == 4);
}

TEST_CASE("a user cannot see the internal notes of its thread", "[feedback]")
{
    World world;
    auto backend = world.as_backend();
    auto user = world.as_user(ada);
    auto const path = "/v1/feedbacks/" + new_thread(user);
    auto const before = user.get(path);
    auto const list_before = user.get("/v1/feedbacks?sort=lastReplyAt").body;

    auto const note = backend.post(path + "/replies", R"({"body":"A secret word: xyzzy","internal":true})");
    REQUIRE(note.status == 201);
    CHECK(note.json().at("internal") == true);
    auto const after = user.get(path);
    CHECK(after.body == before.body);
    CHECK(after.header("etag") == before.header("etag"));
    CHECK(user.get("/v1/feedbacks?sort=lastReplyAt").body == list_before);
    CHECK(user.get(path + "/replies").body == R"({"items":[],"cursor":null})");
    CHECK(user.get("/v1/feedbacks?q=xyzzy").json().at("items").as_array().empty());
    CHECK(backend.get(path).json().at("replyCount") == 1);
    CHECK(backend.get(path + "/replies").json().at("items").as_array().size() == 1);

    auto const ignored = user.post(path + "/replies", R"({"body":"mine","internal":true})");
    REQUIRE(ignored.status == 201);
    CHECK_FALSE(ignored.json().as_object().contains("internal"));
    CHECK(user.get(path).json().at("replyCount") == 1);
    CHECK(backend.get(path).json().at("replyCount") == 2);
}

TEST_CASE("replies posted at the same time are all counted, and every reader gets them in the same order",
    "[feedback]")
{
    World world;
    auto backend = world.as_backend();
    auto const path = "/v1/feedbacks/" + new_thread(backend);
    constexpr int writers = 8, each = 15;
    std::atomic<int> failures = 0;
    std::atomic<bool> done = false;
    // A reader that pages through the growing thread sees a prefix of the final list.
    std::vector<std::vector<std::string>> passes;
    std::thread reader([&] {
        auto client = world.as_backend();
        while (!done) {
            auto& pass = passes.emplace_back();
            for (auto const& item : all_items(client, path + "/replies", 7))
                pass.push_back(text(item, "replyId"));
        }
    });
    std::vector<std::thread> threads;
    for (int i = 0; i < writers; ++i) {
        threads.emplace_back([&] {
            auto client = world.as_backend();
            for (int n = 0; n < each; ++n)
                if (client.post(path + "/replies", R"({"body":"x"})").status != 201) ++failures;
        });
    }
    for (auto& thread : threads)
        thread.join();
    done = true;
    reader.join();
    CHECK(failures == 0);
    CHECK(backend.get(path).json().at("replyCount") == writers * each);
    std::vector<std::string> listed;
    for (auto const& item : all_items(backend, path + "/replies"))
        listed.push_back(text(item, "replyId"));
    CHECK(listed.size() == writers * each);
    for (auto const& pass : passes)
        CHECK(std::equal(pass.begin(), pass.end(), listed.begin()));
}
