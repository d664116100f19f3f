#include "support/held_scope.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <mutex>
#include <set>
#include <thread>

TEST_CASE("paging through a growing list neither omits nor repeats an item", "[feedback]")
{
    World world;
    auto backend = world.as_backend();
    std::set<std::string> before;
    for (int i = 0; i < 60; ++i)
        before.insert(new_thread(backend));

    std::atomic<bool> done = false;
    std::vector<std::thread> writers;
    for (int i = 0; i < 4; ++i) {
        writers.emplace_back([&, i] {
            auto client = world.as_backend();
            for (int n = 0; !done; ++n) {
                // Feedback threads are created in two ways: in one statement with other callers' threads, or,
                // with an Idempotency-Key, in a transaction of their own.
                testing::HttpClient::Headers headers;
                if (n % 2 == 1)
                    headers.emplace_back("Idempotency-Key", std::to_string(i) + "-" + std::to_string(n));
                client.post("/v1/feedbacks", R"({"category":"bug","title":"new","body":"x"})", headers);
            }
        });
    }
    auto reader = world.as_backend();
    std::vector<std::string> seen; // the previous result, newest first
    for (int walk = 0; walk < 8; ++walk) {
        auto const ids = ids_of(all_items(reader, "/v1/feedbacks", 9));
        std::set<std::string> const unique(ids.begin(), ids.end());
        CHECK(unique.size() == ids.size());
        for (auto const& id : before)
            CHECK(unique.contains(id));
        // The list ends with the previous result: new threads appear only in front of it.
        CHECK((ids.size() >= seen.size() && std::equal(seen.rbegin(), seen.rend(), ids.rbegin())));
        seen = ids;
    }
    done = true;
    for (auto& writer : writers)
        writer.join();
}

TEST_CASE("simultaneous requests with the same Idempotency-Key are executed once", "[feedback]")
{
    World world;
    auto backend = world.as_backend();
    auto const path = "/v1/feedbacks/" + new_thread(backend);
    constexpr int repeats = 32;
    for (int round = 0; round < 5; ++round) {
        std::barrier start(repeats);
        std::atomic<int> created = 0, replayed = 0, busy = 0, other = 0;
        std::vector<std::thread> threads;
        std::mutex mutex;
        std::set<std::string> bodies;
        for (int i = 0; i < repeats; ++i) {
            threads.emplace_back([&] {
                auto client = world.as_backend();
                start.arrive_and_wait();
                auto const r = client.post(path + "/replies", R"({"body":"once"})",
                    {{"Idempotency-Key", "round-" + std::to_string(round)}});
                if (r.status == 409) {
                    ++busy;
                } else if (r.status == 201) {
                    ++(r.header("idempotent-replayed") == "true" ? replayed : created);
                    std::lock_guard const lock(mutex);
                    bodies.insert(r.body);
                } else {
                    ++other;
                }
            });
        }
        for (auto& thread : threads)
            thread.join();
        CHECK(created == 1);
        CHECK(other == 0);
        CHECK(created + replayed + busy == repeats);
        CHECK(bodies.size() == 1);
        CHECK(backend.get(path).json().at("replyCount") == round + 1);
    }
    auto const again =
        backend.post(path + "/replies", R"({"body":"once"})", {{"Idempotency-Key", "round-0"}});
    CHECK(again.status == 201);
    CHECK(again.header("idempotent-replayed") == "true");
    CHECK(backend.post(path + "/replies", R"({"body":"other"})", {{"Idempotency-Key", "round-0"}}).status ==
          422);
    // Each caller has its own keys.
    CHECK(world.as_master()
              .post(path + "/replies", R"({"body":"other"})", {{"Idempotency-Key", "round-0"}})
              .status == 201);
    // Only responses of committed writes are stored.
    CHECK(backend.post(path + "/replies", "{}", {{"Idempotency-Key", "bad"}}).status == 400);
    CHECK(backend.post(path + "/replies", R"({"body":"good"})", {{"Idempotency-Key", "bad"}}).status == 201);
}

TEST_CASE("only one of several simultaneous changes with the same If-Match succeeds", "[feedback]")
{
    World world;
    auto backend = world.as_backend();
    auto const path = "/v1/feedbacks/" + new_thread(backend);
    auto const etag = backend.get(path).header("etag");
    constexpr int changers = 16;
    std::barrier start(changers);
    std::atomic<int> changed = 0, refused = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < changers; ++i) {
        threads.emplace_back([&, i] {
            auto client = world.as_backend();
            start.arrive_and_wait();
            auto const r =
                client.patch(path, R"({"assigneeId":")" + std::to_string(i) + "\"}", {{"If-Match", etag}});
            if (r.status == 200) ++changed;
            if (r.status == 412) ++refused;
        });
    }
    for (auto& thread : threads)
        thread.join();
    CHECK(changed == 1);
    CHECK(refused == changers - 1);
    CHECK(backend.get(path).json().at("version") == 2);
}

TEST_CASE("a held lock of one scope does not delay another scope", "[feedback]")
{
    World world;
    std::string const held = "demo", elsewhere = "other";
    world.key(held); // created before the threads start
    world.key(elsewhere);
    auto const create = [&](std::string const& tenant) {
        return [&, tenant](int) {
            return world.as_backend(tenant)
                .post("/v1/feedbacks", R"({"category":"bug","title":"new","body":"x"})")
                .status;
        };
    };
    testing::check_held_scope(world.postgres, world.scope_id(held), 201, create(held), create(elsewhere));
}
