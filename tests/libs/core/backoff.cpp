#include "core/backoff.hpp"

#include <random>

using namespace std::chrono_literals;

namespace {

struct Case {
    unsigned attempt;
    std::chrono::milliseconds base, max, ceiling;
};

constexpr auto most = std::chrono::milliseconds::max();

} // namespace

TEST_CASE("a retry waits between half the ceiling and the ceiling")
{
    auto const c =
        GENERATE(Case{0, 100ms, 10s, 100ms}, Case{1, 100ms, 10s, 200ms}, Case{6, 100ms, 10s, 6400ms},
            Case{7, 100ms, 10s, 10s}, Case{8, 100ms, 10s, 10s}, Case{4'000'000'000, 100ms, 10s, 10s},
            Case{0, 20s, 10s, 10s}, Case{0, 1ms, 1ms, 1ms}, Case{70, 1ms, most, most}, Case{3, 1s, most, 8s});
    CHECK(core::backoff(c.attempt, c.base, c.max, 0) == c.ceiling / 2);
    auto const spread = static_cast<std::uint64_t>((c.ceiling - c.ceiling / 2).count());
    CHECK(core::backoff(c.attempt, c.base, c.max, spread) == c.ceiling);
    std::mt19937_64 random(c.attempt); // NOLINT(cert-msc51-cpp): the same cases each time
    for (int i = 0; i < 1000; ++i) {
        auto const wait = core::backoff(c.attempt, c.base, c.max, random());
        REQUIRE(wait >= c.ceiling / 2);
        REQUIRE(wait <= c.ceiling);
    }
}

TEST_CASE("the wait is zero without a base or a maximum")
{
    CHECK(core::backoff(3, 0ms, 10s, 7) == 0ms);
    CHECK(core::backoff(3, -5ms, 10s, 7) == 0ms);
    CHECK(core::backoff(3, 5ms, 0ms, 7) == 0ms);
    CHECK(core::backoff(3, 5ms, -1ms, 7) == 0ms);
}
