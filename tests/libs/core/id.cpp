#include "core/id.hpp"

#include <chrono>
#include <random>
#include <set>
#include <thread>
#include <unordered_set>

using core::Uuid;

namespace {

std::uint64_t millis(Uuid const& id)
{
    std::uint64_t ms = 0;
    for (std::size_t i = 0; i < 6; ++i)
        ms = ms << 8 | id.bytes()[i];
    return ms;
}

std::uint64_t now_ms()
{
    using namespace std::chrono;
    return static_cast<std::uint64_t>(
        duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count());
}

} // namespace

TEST_CASE("a new id contains version 7, variant 10 and the time")
{
    for (int i = 0; i < 1000; ++i) {
        auto const before = now_ms();
        Uuid const id = Uuid::v7();
        REQUIRE(id.bytes()[6] >> 4 == 7);
        REQUIRE(id.bytes()[8] >> 6 == 2);
        REQUIRE(millis(id) >= before);
        // Ids of one millisecond are incremented. They may reach the next millisecond, but no later one.
        REQUIRE(millis(id) <= now_ms() + 1);
    }
}

TEST_CASE("ids of one thread increase, and so do their texts")
{
    Uuid last = Uuid::v7();
    for (int i = 0; i < 50'000; ++i) {
        Uuid const next = Uuid::v7();
        REQUIRE(last < next);
        REQUIRE(last.to_string() < next.to_string());
        last = next;
    }
}

TEST_CASE("ids of several threads differ")
{
    std::vector<std::vector<Uuid>> made(4);
    std::vector<std::thread> threads;
    threads.reserve(made.size());
    for (auto& ids : made)
        threads.emplace_back([&ids] {
            for (int i = 0; i < 10'000; ++i)
                ids.push_back(Uuid::v7());
        });
    for (auto& thread : threads)
        thread.join();
    std::unordered_set<Uuid> all;
    for (auto const& ids : made)
        all.insert(ids.begin(), ids.end());
    CHECK(all.size() == 40'000);
}

TEST_CASE("ids of different milliseconds have different random parts")
{
    std::set<std::uint8_t> last_bytes;
    std::set<std::uint8_t> first_random_bytes;
    for (int i = 0; i < 40; ++i) {
        Uuid const id = Uuid::v7();
        last_bytes.insert(id.bytes()[15]);
        first_random_bytes.insert(id.bytes()[9]);
        // Waits, so that the ids have different milliseconds.
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    // 40 random bytes have fewer than 20 distinct values in less than one of 10^10 runs.
    CHECK(last_bytes.size() >= 20);
    CHECK(first_random_bytes.size() >= 20);
}

TEST_CASE("an id is parsed in either case and formatted in lower case")
{
    auto const id = Uuid::parse("017F22E2-79B0-7CC3-98C4-DC0C0C07398F"); // RFC 9562, A.6
    REQUIRE(id);
    CHECK(id->to_string() == "017f22e2-79b0-7cc3-98c4-dc0c0c07398f");
    CHECK(Uuid::parse(id->to_string()) == id);
    CHECK(millis(*id) == 0x017F22E279B0);
    CHECK(Uuid::from_bytes(id->bytes()) == *id);
    CHECK(Uuid().to_string() == "00000000-0000-0000-0000-000000000000");
    CHECK(Uuid::parse("00000000-0000-0000-0000-000000000000") == Uuid());
    CHECK(Uuid::parse("ffffffff-ffff-ffff-ffff-ffffffffffff")->bytes()[15] == 0xff);
}

TEST_CASE("other texts are not ids")
{
    auto const* text = GENERATE(as<char const*>(), "", "017f22e2", "017f22e279b07cc398c4dc0c0c07398f",
        "{017f22e2-79b0-7cc3-98c4-dc0c0c07398f}", "urn:uuid:017f22e2-79b0-7cc3-98c4-dc0c0c07398f",
        "017f22e2-79b0-7cc3-98c4-dc0c0c07398", "017f22e2-79b0-7cc3-98c4-dc0c0c07398ff",
        "017f22e2-79b0-7cc3-98c4-dc0c0c07398g", "017f22e-279b0-7cc3-98c4-dc0c0c07398f",
        "017f22e2_79b0-7cc3-98c4-dc0c0c07398f", "017f22e2-79b0-7cc3-98c4-dc0c0c0739 f",
        "017f22e2079b0-7cc3-98c4-dc0c0c07398f", "-17f22e2-79b0-7cc3-98c4-dc0c0c07398f",
        "017f22e2-79b0-7cc3-98c4-dc0c0c07398\xff");
    CAPTURE(text);
    CHECK_FALSE(Uuid::parse(text));
}

TEST_CASE("any formatted id parses to the same id")
{
    std::mt19937_64 random(7); // NOLINT(cert-msc51-cpp): the same cases each time
    for (int i = 0; i < 5000; ++i) {
        std::array<std::uint8_t, 16> bytes{};
        for (auto& byte : bytes)
            byte = static_cast<std::uint8_t>(random());
        Uuid const id = Uuid::from_bytes(bytes);
        REQUIRE(Uuid::parse(id.to_string()) == id);
    }
}

TEST_CASE("the hash depends on every byte")
{
    Uuid const zero;
    for (std::size_t i = 0; i < 16; ++i) {
        std::array<std::uint8_t, 16> bytes{};
        bytes[i] = 1;
        CHECK(std::hash<Uuid>()(Uuid::from_bytes(bytes)) != std::hash<Uuid>()(zero));
    }
}
