#include "core/cache.hpp"

#include "core/id.hpp"
#include "support/eventually.hpp"

#include <atomic>
#include <string>
#include <thread>

using namespace std::chrono_literals;
using Cache = core::Cache<std::string, int>;

static std::shared_ptr<int const> number(int n)
{
    return std::make_shared<int const>(n);
}

TEST_CASE("a cache returns the last value of a key")
{
    Cache cache(10, 1h);
    CHECK(cache.find("a") == nullptr);
    cache.put("a", number(1));
    cache.put("b", number(2));
    cache.put("a", number(3));
    CHECK(*cache.find("a") == 3);
    CHECK(*cache.find("b") == 2);
    CHECK(cache.size() == 2);
    cache.erase("a");
    cache.erase("unknown");
    CHECK(cache.find("a") == nullptr);
    CHECK(*cache.find("b") == 2);
    cache.clear();
    CHECK(cache.find("b") == nullptr);
    CHECK(cache.size() == 0);
}

TEST_CASE("a full cache evicts the least recently used entry")
{
    Cache cache(3, 1h);
    for (int i = 0; i < 3; ++i)
        cache.put(std::to_string(i), number(i));
    CHECK(*cache.find("0") == 0);
    cache.put("3", number(3));
    CHECK(cache.find("1") == nullptr);
    CHECK(cache.size() == 3);
    cache.put("2", number(22));
    cache.put("4", number(4));
    CHECK(cache.find("0") == nullptr);
    CHECK(*cache.find("2") == 22);
    CHECK(*cache.find("3") == 3);
    CHECK(*cache.find("4") == 4);
}

TEST_CASE("an entry expires after the time to live, or earlier at its own expiry")
{
    Cache cache(10, 1h);
    auto const now = Cache::Clock::now();
    cache.put("hour", number(1));
    cache.put("minute", number(2), now + 1min);
    cache.put("longer than allowed", number(3), now + 5h);
    cache.put("past", number(4), now - 1s);
    CHECK(cache.find("past", now) == nullptr);
    CHECK(cache.find("hour", now + 59min) != nullptr);
    CHECK(cache.find("minute", now + 59s) != nullptr);
    CHECK(cache.find("minute", now + 60s) == nullptr);
    CHECK(cache.find("longer than allowed", now + 2h) == nullptr);
    CHECK(cache.find("hour", now + 2h) == nullptr);
    CHECK(cache.size() == 0);
}

TEST_CASE("expired entries are removed as new entries are added")
{
    Cache cache(10, 1h);
    auto const now = Cache::Clock::now();
    for (auto const* key : {"a", "b", "c", "d"})
        cache.put(key, number(1), now + 100ms);
    cache.put("stays", number(2));
    CHECK(cache.size() == 5);
    REQUIRE(testing::eventually([&] { return Cache::Clock::now() >= now + 100ms; }));
    cache.put("e", number(3));
    CHECK(cache.size() == 4);
    cache.put("f", number(4));
    CHECK(cache.size() == 3);
    CHECK(*cache.find("stays") == 2);
}

TEST_CASE("a value outlives its entry")
{
    Cache cache(1, 1h);
    cache.put("a", number(1));
    auto const held = cache.find("a");
    cache.put("b", number(2));
    CHECK(cache.find("a") == nullptr);
    CHECK(*held == 1);
}

TEST_CASE("a cache of capacity 0 stores nothing")
{
    Cache cache(0, 1h);
    cache.put("a", number(1));
    CHECK(cache.find("a") == nullptr);
}

TEST_CASE("ids and digests can be keys of a cache")
{
    auto const id = core::Uuid::v7();
    core::Cache<core::Uuid, int> by_id(2, 1h);
    by_id.put(id, number(1));
    CHECK(*by_id.find(id) == 1);
    CHECK(by_id.find(core::Uuid::v7()) == nullptr);
    core::Cache<std::array<std::uint8_t, 32>, int> by_digest(2, 1h);
    by_digest.put({1, 2, 3}, number(1));
    CHECK(*by_digest.find(std::array<std::uint8_t, 32>{1, 2, 3}) == 1);
}

TEST_CASE("a cache is safe to use from several threads")
{
    core::Cache<int, int> cache(50, 1h);
    std::atomic<int> wrong = 0;
    auto const work = [&](int seed) {
        for (int i = 0; i < 20'000; ++i) {
            int const key = (i * 7 + seed) % 100;
            if (i % 3 == 0) cache.put(key, number(key));
            if (i % 101 == 0) cache.erase(key);
            if (auto const found = cache.find(key); found && *found != key) ++wrong;
        }
    };
    std::thread first(work, 1);
    std::thread second(work, 2);
    work(3);
    first.join();
    second.join();
    CHECK(wrong == 0);
    CHECK(cache.size() <= 50);
    CHECK(cache.size() > 0);
}
