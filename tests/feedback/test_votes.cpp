#include "domain/filter.hpp"
#include "domain/vote_order.hpp"
#include "support/eventually.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>
#include <thread>
#include <vector>

// Votes: the threads for which a caller may vote, and the number of votes.

namespace {

/// A World whose board is on.
struct Board : World {
    Board()
    {
        REQUIRE(as_backend().patch("/v1/settings", R"({"publicBoard":true})").status == 200);
        REQUIRE(client().get("/board/threads").status == 200);
    }

    /// The id of a new public thread.
    std::string new_post(std::string const& title = "Dark mode")
    {
        auto backend = as_backend();
        auto const id = new_thread(backend, title);
        REQUIRE(backend.patch("/v1/feedbacks/" + id, R"({"visibility":"public"})").status == 200);
        return id;
    }
};

std::string vote_path(std::string const& id)
{
    return "/v1/feedbacks/" + id + "/vote";
}

std::int64_t votes_of(World const& world, std::string const& id)
{
    auto backend = world.as_backend();
    return backend.get("/v1/feedbacks/" + id).json().at("voteCount").as_int64();
}

} // namespace

TEST_CASE("a user votes once, and may withdraw the vote", "[votes]")
{
    Board world;
    auto const id = world.new_post();
    auto user = world.as_user(ada), other = world.as_user(bob);
    CHECK(user.put(vote_path(id), "").body == R"({"voteCount":1,"voted":true})");
    CHECK(user.put(vote_path(id), "").body == R"({"voteCount":1,"voted":true})");
    CHECK(other.put(vote_path(id), "").body == R"({"voteCount":2,"voted":true})");
    CHECK(user.del(vote_path(id)).body == R"({"voteCount":1,"voted":false})");
    CHECK(user.del(vote_path(id)).body == R"({"voteCount":1,"voted":false})");
    CHECK(votes_of(world, id) == 1);
}

TEST_CASE("a user votes for public threads and for own threads only", "[votes]")
{
    Board world;
    auto user = world.as_user(ada);
    auto backend = world.as_backend();
    auto const hidden = new_thread(backend);
    CHECK(user.put(vote_path(hidden), "").status == 404);
    auto const own = new_thread(user);
    CHECK(user.put(vote_path(own), "").status == 200);
    CHECK(world.as_user(bob).put(vote_path(own), "").status == 404);

    auto const post = world.new_post();
    CHECK(user.get("/v1/feedbacks/" + post).status == 404); // read through the board
    CHECK(user.put(vote_path(post), "").status == 200);
    REQUIRE(backend.patch("/v1/settings", R"({"publicBoard":false})").status == 200);
    CHECK(testing::eventually([&] { return world.as_user(bob).put(vote_path(post), "").status == 404; }));
    CHECK(user.put(vote_path(own), "").status == 200);

    REQUIRE(backend.patch("/v1/settings", R"({"publicBoard":true})").status == 200);
    REQUIRE(backend.del("/v1/feedbacks/" + post).status == 200);
    CHECK(testing::eventually([&] { return world.as_user(bob).put(vote_path(post), "").status == 404; }));
    REQUIRE(backend.del("/v1/feedbacks/" + own).status == 200);
    CHECK(user.put(vote_path(own), "").status == 409);
    CHECK(backend.put(vote_path(own), "").status == 403);                        // not a user
    CHECK(world.as_user(bob, "admin").put(vote_path(hidden), "").status == 404); // staff vote as users
}

TEST_CASE("a vote changes the ETag of its thread, but does not refuse a change with If-Match", "[votes]")
{
    Board world;
    auto backend = world.as_backend();
    auto const path = "/v1/feedbacks/" + new_thread(backend);
    auto const tag = backend.get(path).header("etag");
    REQUIRE(backend.put(path + "/votes/" + ada, "").status == 200);
    CHECK(backend.get(path, {{"If-None-Match", tag}}).status == 200);
    CHECK(backend.patch(path, R"({"status":"in-progress"})", {{"If-Match", tag}}).status == 200);
    CHECK(backend.patch(path, R"({"status":"closed"})", {{"If-Match", tag}}).status == 412);
}

TEST_CASE("a key votes on behalf of a user", "[votes]")
{
    Board world;
    auto backend = world.as_backend();
    auto const id = new_thread(backend);
    auto const path = "/v1/feedbacks/" + id + "/votes/";
    CHECK(backend.put(path + ada, "").body == R"({"voteCount":1,"voted":true})");
    CHECK(backend.put(path + ada, "").body == R"({"voteCount":1,"voted":true})");
    CHECK(backend.put(path + "any%20id", "").body == R"({"voteCount":2,"voted":true})");
    CHECK(backend.del(path + ada).body == R"({"voteCount":1,"voted":false})");
    CHECK(backend.put(path + std::string(256, 'u'), "").status == 400);
    CHECK(world.as_user(ada, "admin").put(path + bob, "").status == 403);
    CHECK(backend.put("/v1/feedbacks/0190a5d2-0000-7000-8000-000000000000/votes/u", "").status == 404);
}

TEST_CASE("a key and the master key vote on behalf of users, whether the board is on or off", "[votes]")
{
    World world;
    auto backend = world.as_backend(), master = world.as_master();
    for (bool const is_on : {false, true}) {
        testing::require(200, backend.patch("/v1/settings", testing::body({{"publicBoard", is_on}})));
        for (auto* const caller : {&backend, &master}) {
            for (auto const* visibility : {"private", "public"}) {
                CAPTURE(is_on, caller == &master, visibility);
                auto const id = new_thread(*caller), path = "/v1/feedbacks/" + id + "/votes/";
                testing::require(
                    200, caller->patch("/v1/feedbacks/" + id, testing::body({{"visibility", visibility}})));
                CHECK(caller->put(path + ada, "").body == R"({"voteCount":1,"voted":true})");
                CHECK(caller->put(path + bob, "").body == R"({"voteCount":2,"voted":true})");
                CHECK(caller->put(path + ada, "").body == R"({"voteCount":2,"voted":true})");
                CHECK(votes_of(world, id) == 2);
                CHECK(caller->del(path + ada).body == R"({"voteCount":1,"voted":false})");
                CHECK(caller->del(path + ada).body == R"({"voteCount":1,"voted":false})");
                auto const voters = all_items(*caller, "/v1/feedbacks/" + id + "/votes");
                REQUIRE(voters.size() == 1);
                CHECK(text(voters[0], "userId") == bob);
                CHECK(voters[0].at("userEmail").is_null());
                for (auto const* role : {"user", "admin", "owner"})
                    CHECK(world.as_user(ada, role).put(path + ada, "").status == 403);
            }
        }
    }
}

TEST_CASE("a vote on behalf of a user and the user's own vote are one vote", "[votes]")
{
    Board world;
    auto user = world.as_user(ada);
    auto master = world.as_master();
    auto const id = world.new_post();
    auto const on_behalf = "/v1/feedbacks/" + id + "/votes/" + ada;
    CHECK(user.put(vote_path(id), "").body == R"({"voteCount":1,"voted":true})");
    CHECK(master.put(on_behalf, "").body == R"({"voteCount":1,"voted":true})");
    CHECK(user.del(vote_path(id)).body == R"({"voteCount":0,"voted":false})");
    CHECK(master.put(on_behalf, "").body == R"({"voteCount":1,"voted":true})");
    CHECK(user.get("/board/threads/" + id).json().at("voted") == true);
    CHECK(master.del(on_behalf).body == R"({"voteCount":0,"voted":false})");
    CHECK(user.get("/board/threads/" + id).json().at("voted") == false);
}

TEST_CASE("staff list the voters, newest first", "[votes]")
{
    Board world;
    auto const id = world.new_post();
    REQUIRE(world.as_user(ada).put(vote_path(id), "").status == 200);
    auto backend = world.as_backend();
    REQUIRE(backend.put("/v1/feedbacks/" + id + "/votes/someone", "").status == 200);
    auto const voters = all_items(backend, "/v1/feedbacks/" + id + "/votes", 1);
    REQUIRE(voters.size() == 2);
    CHECK(text(voters[0], "userId") == "someone");
    CHECK(voters[0].at("userEmail").is_null());
    CHECK(text(voters[1], "userId") == ada);
    CHECK(text(voters[1], "userEmail") == "user@example.com");
    for (auto& [name, caller_id, client] : all_staff(world)) {
        CAPTURE(name);
        CHECK(all_items(client, "/v1/feedbacks/" + id + "/votes", 1) == voters);
    }
    auto user = world.as_user(ada);
    for (auto const& thread : {id, new_thread(user)}) // not of the user's own threads, either
        CHECK(testing::error_of(user.get("/v1/feedbacks/" + thread + "/votes")) == "FORBIDDEN");
    CHECK(world.as_user(bob, "owner", "other-sandbox").get("/v1/feedbacks/" + id + "/votes").status == 404);
}

TEST_CASE("64 users who vote and withdraw at the same time are counted exactly", "[votes][concurrency]")
{
    Board world;
    auto const id = world.new_post();
    std::vector<std::thread> users;
    users.reserve(64);
    for (int n = 0; n < 64; ++n) {
        users.emplace_back([&world, &id, n] {
            auto user = world.as_user("voter-" + std::to_string(n));
            for (int i = 0; i <= n % 3; ++i) {
                user.put(vote_path(id), "");
                user.put(vote_path(id), "");
                if (n % 2 == 0) user.del(vote_path(id));
            }
        });
    }
    for (auto& user : users)
        user.join();
    CHECK(votes_of(world, id) == 32);
    CHECK(world.postgres.query("SELECT count(*) FROM votes") == "32");
    CHECK(world.postgres.query("SELECT count(*) FROM followers") == "32");
}

TEST_CASE("a list by votes omits and repeats no thread while votes are added", "[votes]")
{
    Board world;
    auto backend = world.as_backend();
    std::vector<std::string> ids;
    for (int n = 0; n < 12; ++n) {
        ids.push_back(world.new_post());
        for (int v = 0; v < n; ++v)
            REQUIRE(backend.put("/v1/feedbacks/" + ids.back() + "/votes/u" + std::to_string(v), "").status ==
                    200);
    }
    std::vector<std::string> seen;
    std::string cursor;
    int voter = 0;
    do {
        auto const page =
            backend.get("/v1/feedbacks?sort=votes&limit=3" + (cursor.empty() ? "" : "&cursor=" + cursor))
                .json();
        for (auto const& id : ids_of(page.at("items").as_array()))
            seen.push_back(id);
        cursor = page.at("cursor").is_null() ? "" : text(page, "cursor");
        // The threads that no page has shown yet, and the first one, get many votes.
        for (std::size_t n = 0; n < 3; ++n)
            for (int v = 0; v < 15; ++v)
                REQUIRE(backend
                            .put("/v1/feedbacks/" + ids[n == 2 ? 11 : n] + "/votes/late" +
                                     std::to_string(++voter),
                                "")
                            .status == 200);
    } while (!cursor.empty());
    std::vector<std::string> expected(ids.rbegin(), ids.rend());
    CHECK(seen == expected);
    CHECK(ids_of(backend.get("/v1/feedbacks?sort=votes&limit=3").json().at("items").as_array()).front() ==
          ids[11]);
}

TEST_CASE("a thread whose votes are withdrawn while a list is read is not omitted", "[votes]")
{
    Board world;
    auto backend = world.as_backend();
    std::vector<std::string> ids;
    for (int n = 0; n < 6; ++n) {
        ids.push_back(world.new_post());
        for (int v = 0; v < 6 - n; ++v)
            REQUIRE(backend.put("/v1/feedbacks/" + ids.back() + "/votes/u" + std::to_string(v), "").status ==
                    200);
    }
    auto const first = backend.get("/v1/feedbacks?sort=votes&limit=2").json();
    REQUIRE(backend.del("/v1/feedbacks/" + ids[3] + "/votes/u0").status == 200);
    REQUIRE(backend.del("/v1/feedbacks/" + ids[3] + "/votes/u1").status == 200);
    std::set<std::string> seen;
    for (auto const& id : ids_of(first.at("items").as_array()))
        seen.insert(id);
    for (auto const& id :
        ids_of(backend.get("/v1/feedbacks?sort=votes&limit=10&cursor=" + text(first, "cursor"))
                .json()
                .at("items")
                .as_array()))
        seen.insert(id);
    CHECK(seen.size() == 6);
}

TEST_CASE("a user's list by votes contains only the user's threads, in the order of votes", "[votes]")
{
    Board world;
    auto backend = world.as_backend();
    auto user = world.as_user(ada), other = world.as_user(bob);
    auto const add_votes = [&](std::string const& id, int votes) {
        for (int v = 0; v < votes; ++v)
            testing::require(200, backend.put("/v1/feedbacks/" + id + "/votes/u" + std::to_string(v), ""));
        return id;
    };
    std::vector<std::string> own;
    own.reserve(4);
    for (int const votes : {1, 3, 0, 2})
        own.push_back(add_votes(new_thread(user), votes));
    add_votes(new_thread(other), 2);
    add_votes(world.new_post(), 4);
    std::vector<std::string> const expected{own[1], own[3], own[0], own[2]};
    for (int const limit : {1, 3, 100})
        for (auto const* path : {"/v1/feedbacks?sort=votes", "/v1/feedbacks?sort=votes&q=title"})
            CHECK(ids_of(all_items(user, path, limit)) == expected);
    testing::require(200, backend.patch("/v1/feedbacks/" + own[3], R"({"status":"closed"})"));
    CHECK(ids_of(all_items(user, "/v1/feedbacks?sort=votes&status=open,in-progress", 1)) ==
          std::vector{own[1], own[0], own[2]});
    for (auto const* query : {"", "&userId=", "&includeDeleted=true&userId="}) {
        auto const path = std::string("/v1/feedbacks?sort=votes") + query + (*query == 0 ? "" : ada);
        CHECK(all_items(other, path).size() == 1); // the filter `userId` has no effect
    }
}

TEST_CASE("a cursor of a list by votes works only with the same list", "[votes]")
{
    Board world;
    auto backend = world.as_backend();
    for (int n = 0; n < 3; ++n)
        world.new_post();
    auto const cursor = text(backend.get("/v1/feedbacks?sort=votes&limit=1").json(), "cursor");
    CHECK(backend.get("/v1/feedbacks?sort=votes&limit=1&cursor=" + cursor).status == 200);
    CHECK(backend.get("/v1/feedbacks?sort=votes&status=open&cursor=" + cursor).status == 400);
    CHECK(backend.get("/v1/feedbacks?sort=createdAt&cursor=" + cursor).status == 400);
    CHECK(backend.get("/v1/feedbacks?sort=votes&cursor=" + cursor.substr(1)).status == 400);
    CHECK(backend.get("/v1/feedbacks?sort=votes&cursor=x").status == 400);
}

TEST_CASE("a cursor of a list by votes expires after an hour", "[votes]")
{
    Board world;
    auto backend = world.as_backend();
    auto const id = core::Uuid::parse(world.new_post()).value();
    feedback::Filter filter;
    filter.sort = feedback::Sort::votes;
    auto const get = [&](std::chrono::minutes ago) {
        feedback::VotePosition const position{5, id, world.clock.now() - ago};
        return backend.get("/v1/feedbacks?sort=votes&cursor=" + encode(position, filter.hash())).status;
    };
    CHECK(get(std::chrono::minutes(55)) == 200);
    CHECK(get(std::chrono::minutes(65)) == 400);
    CHECK(get(std::chrono::minutes(-5)) == 400);
}

TEST_CASE("votes change the ETag", "[votes]")
{
    Board world;
    auto backend = world.as_backend();
    auto const id = world.new_post();
    auto const before = backend.get("/v1/feedbacks/" + id).header("etag");
    REQUIRE(world.as_user(ada).put(vote_path(id), "").status == 200);
    CHECK(backend.get("/v1/feedbacks/" + id).header("etag") != before);
}
