#include "core/named.hpp"

#include <catch2/catch.hpp>

#include <array>

namespace {

enum class Colour { red, green };

constexpr std::array<std::string_view, 2> colours{"red", "green"};

static_assert(core::named<Colour>(colours, "green") == Colour::green);

} // namespace

TEST_CASE("a known name gives its value, and an unknown name throws")
{
    CHECK(core::named<Colour>(colours, "red") == Colour::red);
    for (auto const* name : {"", "Red", "gree", "greens"})
        CHECK_THROWS_AS(core::named<Colour>(colours, name), std::invalid_argument);
}
