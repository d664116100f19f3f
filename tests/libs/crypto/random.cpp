#include "crypto/random.hpp"

#include <algorithm>
#include <array>
#include <set>

TEST_CASE("random bytes have the requested length and differ")
{
    CHECK(crypto::random_bytes(0).empty());
    CHECK(crypto::random_bytes(1).size() == 1);
    CHECK(crypto::random_bytes((1 << 20) + 1).size() == (1 << 20) + 1);
    CHECK(crypto::random_bytes(32) != crypto::random_bytes(32));
    std::string const bytes = crypto::random_bytes(100'000);
    std::array<int, 256> counts{};
    for (char const c : bytes)
        ++counts[static_cast<unsigned char>(c)];
    // The expected count of each value is 390, with a standard deviation of 20. A difference of ten standard
    // deviations does not occur by chance.
    CHECK(*std::min_element(counts.begin(), counts.end()) > 190);
    CHECK(*std::max_element(counts.begin(), counts.end()) < 590);
}

TEST_CASE("base62 text uses its 62 characters evenly")
{
    CHECK(crypto::random_base62(0).empty());
    CHECK(crypto::random_base62(40).size() == 40);
    CHECK(crypto::random_base62(40) != crypto::random_base62(40));
    std::string const text = crypto::random_base62(620'000);
    REQUIRE(text.size() == 620'000);
    std::array<int, 128> counts{};
    for (char const c : text)
        ++counts.at(static_cast<unsigned char>(c));
    int kinds = 0;
    for (std::size_t c = 0; c < counts.size(); ++c) {
        bool const letter = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
        if (!letter) {
            CHECK(counts[c] == 0);
            continue;
        }
        ++kinds;
        // The expected count is 10,000, with a standard deviation of 99. A byte modulo 62 would give 12,100
        // for the first eight characters.
        CHECK(counts[c] > 9000);
        CHECK(counts[c] < 11000);
    }
    CHECK(kinds == 62);
}

TEST_CASE("random numbers differ in all their bits")
{
    std::uint64_t ones = 0;
    std::uint64_t zeros = 0;
    std::set<std::uint64_t> seen;
    for (int i = 0; i < 200; ++i) {
        auto const number = crypto::random_u64();
        ones |= number;
        zeros |= ~number;
        seen.insert(number);
    }
    CHECK(seen.size() == 200);
    CHECK(ones == ~std::uint64_t{0});
    CHECK(zeros == ~std::uint64_t{0});
}
