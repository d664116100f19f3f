#include "core/keyed_budget.hpp"

#include <catch2/catch.hpp>

#include <thread>
#include <vector>

TEST_CASE("a key can hold up to its share, independently of other keys")
{
    core::KeyedBudget shares(100);
    CHECK(shares.take(1, 60));
    CHECK(shares.take(1, 40));
    CHECK_FALSE(shares.take(1, 1));
    CHECK(shares.take(2, 100));
    CHECK_FALSE(shares.take(3, 101));
    shares.give_back(1, 50);
    CHECK_FALSE(shares.take(1, 51));
    CHECK(shares.take(1, 50));
    CHECK(shares.take(1, 0));
}

TEST_CASE("the whole share is available after everything was given back")
{
    core::KeyedBudget shares(10);
    for (std::int64_t key = -1000; key < 1000; ++key)
        CHECK(shares.take(key, 10));
    for (std::int64_t key = -1000; key < 1000; ++key)
        shares.give_back(key, 10);
    for (std::int64_t key = -1000; key < 1000; ++key)
        CHECK(shares.take(key, 10));
}

TEST_CASE("several threads together never take more than the share")
{
    core::KeyedBudget shares(3);
    std::atomic<int> held = 0, most = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i)
        threads.emplace_back([&] {
            for (int turn = 0; turn < 2000; ++turn) {
                if (!shares.take(7, 1)) continue;
                int const now = ++held;
                for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
                }
                --held;
                shares.give_back(7, 1);
            }
        });
    for (auto& thread : threads)
        thread.join();
    CHECK(most <= 3);
    CHECK(shares.take(7, 3));
}
