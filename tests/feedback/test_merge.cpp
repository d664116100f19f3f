#include "world.hpp"

#include <catch2/catch.hpp>

#include <map>
#include <random>
#include <set>
#include <thread>

// Merging threads, alone and with a reference model.

namespace {

std::string path_of(std::string const& id)
{
    return "/v1/feedbacks/" + id;
}

testing::HttpResponse merge(testing::HttpClient& client, std::string const& source, std::string const& target)
{
    return client.post(path_of(source) + "/merge", R"({"into":")" + target + "\"}");
}

void vote(testing::HttpClient& backend, std::string const& id, std::string const& user)
{
    REQUIRE(backend.put(path_of(id) + "/votes/" + user, "").status == 200);
}

} // namespace

TEST_CASE("a merge closes the source and moves its votes", "[merge]")
{
    World world;
    auto backend = world.as_backend();
    auto user = world.as_user(ada);
    auto const source = new_thread(user, "source"), target = new_thread(backend, "target");
    for (auto const* voter : {"a", "b"})
        vote(backend, source, voter);
    for (auto const* voter : {"b", "c"})
        vote(backend, target, voter);
    REQUIRE(backend.post(path_of(source) + "/replies", R"({"body":"stays"})").status == 201);

    auto const merged = merge(backend, source, target);
    REQUIRE(merged.status == 200);
    CHECK(text(merged.json(), "feedbackId") == target);
    CHECK(merged.json().at("voteCount") == 3);
    CHECK(merged.header("etag") == backend.get(path_of(target)).header("etag"));

    auto const old = user.get(path_of(source)).json();
    CHECK(text(old, "status") == "closed");
    CHECK(text(old, "mergedInto") == target);
    CHECK(old.at("voteCount") == 0);
    CHECK(old.at("replyCount") == 1);
    CHECK(all_items(user, path_of(source) + "/replies", 10).size() == 1);
    CHECK(all_items(backend, path_of(target) + "/replies", 10).empty());

    // The reporter of the source follows the target.
    CHECK(world.postgres.query(
              "SELECT string_agg(user_id, ' ' ORDER BY user_id) FROM followers WHERE feedback_id = '" +
              target + "'") == std::string(ada) + " a b c");

    auto const of_source = backend.get(path_of(source) + "/history").json().at("items").at(0);
    CHECK(text(of_source, "from") == "open");
    CHECK(text(of_source, "to") == "closed");
    CHECK(text(of_source, "mergedInto") == target);
    auto const of_target = backend.get(path_of(target) + "/history").json().at("items").at(0);
    CHECK(text(of_target, "to") == "open");
    CHECK(text(of_target, "mergedFrom") == source);
    CHECK(backend.get("/v1/audit?action=feedback.merged").json().at("items").as_array().size() == 1);
}

TEST_CASE("a user who follows both threads of a merge keeps the verified address", "[merge]")
{
    World world;
    auto backend = world.as_backend();
    auto user = world.with(world.issuer.token(
        {.subject = ada, .email = "ada@example.com", .role = "user"}, {{"email_verified", true}}));
    REQUIRE(backend.patch("/v1/settings", R"({"publicBoard":true})").status == 200);
    auto const source =
        text(backend
                 .post("/v1/feedbacks", std::string(R"({"category":"bug","title":"t","body":"b",)") +
                                            R"("userEmail":"other@example.com","userId":")" + ada + "\"}")
                 .json(),
            "feedbackId");
    auto const target = new_thread(backend);
    REQUIRE(user.put(path_of(source) + "/vote", "").status == 200);
    vote(backend, target, ada);
    REQUIRE(merge(backend, source, target).status == 200);
    auto const follower = [&] {
        return world.postgres.query(
            "SELECT concat_ws(' ', email, email_verified, reporter) FROM followers WHERE feedback_id = '" +
            target + "'");
    };
    CHECK(follower() == "ada@example.com t t");
    // The reporter of the source follows the target without a vote, too.
    REQUIRE(backend.del(path_of(target) + "/votes/" + ada).status == 200);
    CHECK(follower() == "ada@example.com t t");
}

TEST_CASE("merges that make no sense are refused", "[merge]")
{
    World world;
    auto backend = world.as_backend();
    auto const source = new_thread(backend), target = new_thread(backend), other = new_thread(backend);
    CHECK(merge(backend, source, source).status == 409);
    CHECK(merge(backend, source, "0190a5d2-0000-7000-8000-000000000000").status == 404);
    CHECK(merge(backend, "0190a5d2-0000-7000-8000-000000000000", target).status == 404);
    CHECK(merge(backend, source, "x").status == 400);
    CHECK(backend.post(path_of(source) + "/merge", "{}").status == 400);
    auto stranger = world.as_backend("other-sandbox");
    CHECK(merge(stranger, source, target).status == 404);
    auto user = world.as_user(ada);
    CHECK(merge(user, source, target).status == 403);
    REQUIRE(backend.del(path_of(other)).status == 200);
    CHECK(merge(backend, source, other).status == 409);
    CHECK(merge(backend, other, target).status == 409);
    REQUIRE(merge(backend, source, target).status == 200);
    CHECK(merge(backend, source, target).status == 409);
    CHECK(merge(backend, target, source).status == 409);
}

TEST_CASE("staff merge threads, and users may not merge their own threads", "[merge]")
{
    World world;
    auto user = world.as_user(ada);
    for (auto& [name, id, client] : all_staff(world)) {
        CAPTURE(name);
        auto const source = new_thread(user, "source"), target = new_thread(user, "target");
        auto const before = client.get(path_of(source)).body;
        CHECK(testing::error_of(merge(user, source, target)) == "FORBIDDEN");
        CHECK(client.get(path_of(source)).body == before);
        auto const merged = merge(client, source, target);
        REQUIRE(merged.status == 200);
        CHECK(text(merged.json(), "feedbackId") == target);
        CHECK(text(user.get(path_of(source)).json(), "mergedInto") == target);
        for (auto const& thread : {source, target}) {
            auto const history = all_items(client, path_of(thread) + "/history");
            REQUIRE(history.size() == 2);
            CHECK(text(history[0], "actorId") == id);
        }
    }
}

TEST_CASE("a merged thread cannot be changed", "[merge]")
{
    World world;
    auto backend = world.as_backend();
    auto user = world.as_user(ada);
    auto const source = new_thread(user), target = new_thread(backend);
    REQUIRE(merge(backend, source, target).status == 200);
    CHECK(backend.patch(path_of(source), R"({"status":"open"})").status == 409);
    CHECK(user.post(path_of(source) + "/replies", R"({"body":"x"})").status == 409);
    CHECK(user.put(path_of(source) + "/vote", "").status == 409);
    CHECK(backend.put(path_of(source) + "/votes/u", "").status == 409);
    CHECK(user.get(path_of(source)).status == 200);
}

TEST_CASE("concurrent merges and votes lose and repeat no vote", "[merge][concurrency]")
{
    World world;
    auto backend = world.as_backend();
    std::vector<std::string> sources;
    for (int n = 0; n < 4; ++n)
        sources.push_back(new_thread(backend));
    auto const target = new_thread(backend);
    std::vector<std::thread> threads;
    for (int n = 0; n < 8; ++n) {
        threads.emplace_back([&world, &sources, n] {
            auto client = world.as_backend();
            for (auto const& id : sources)
                for (int v = 0; v < 4; ++v)
                    client.put(path_of(id) + "/votes/u" + std::to_string(4 * n + v), "");
        });
    }
    for (auto const& id : sources)
        threads.emplace_back([&world, &id, &target] {
            auto client = world.as_backend();
            merge(client, id, target);
        });
    for (auto& thread : threads)
        thread.join();
    CHECK(world.postgres.query(
              "SELECT count(*) FROM feedbacks f WHERE vote_count <> (SELECT count(*) FROM votes v "
              "WHERE v.feedback_id = f.feedback_id)") == "0");
    CHECK(world.postgres.query(
              "SELECT count(*) FROM votes v JOIN feedbacks f USING (feedback_id) WHERE f.merged_into "
              "IS NOT NULL") == "0");
}

TEST_CASE("votes and merges agree with a reference model under random operations", "[merge][model]")
{
    World world;
    auto backend = world.as_backend();
    std::random_device entropy;
    auto const seed = entropy();
    INFO("seed " << seed);
    std::mt19937 random(seed);
    auto const below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };

    struct Thread {
        std::string id;
        std::set<std::string> voters;
        bool merged = false, deleted = false;

        bool open() const { return !merged && !deleted; }
    };

    std::vector<Thread> model;
    for (int n = 0; n < 12; ++n)
        model.push_back({new_thread(backend), {}});
    for (int step = 0; step < 400; ++step) {
        auto& t = model[below(model.size())];
        auto const user = "u" + std::to_string(below(9));
        auto const choice = below(20);
        if (choice < 11) {
            CHECK(backend.put(path_of(t.id) + "/votes/" + user, "").status == (t.open() ? 200 : 409));
            if (t.open()) t.voters.insert(user);
        } else if (choice < 18) {
            CHECK(backend.del(path_of(t.id) + "/votes/" + user).status == (t.open() ? 200 : 409));
            if (t.open()) t.voters.erase(user);
        } else if (choice < 19) {
            auto& into = model[below(model.size())];
            bool const allowed = &t != &into && t.open() && into.open() && step > 100;
            if (step <= 100) continue; // so that some threads stay
            CHECK(merge(backend, t.id, into.id).status == (allowed ? 200 : 409));
            if (!allowed) continue;
            into.voters.merge(t.voters);
            t.voters.clear();
            t.merged = true;
        } else if (step > 300) {
            if (backend.del(path_of(t.id)).status == 200) t.deleted = true;
        }
    }
    for (auto const& t : model) {
        INFO(t.id);
        CHECK(backend.get(path_of(t.id)).json().at("voteCount") == t.voters.size());
        std::set<std::string> voters;
        for (auto const& voter : all_items(backend, path_of(t.id) + "/votes", 5))
            voters.insert(text(voter, "userId"));
        CHECK(voters == t.voters);
    }
}
