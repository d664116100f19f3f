#include "core/joined.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <string_view>

TEST_CASE("arrays are concatenated in order at compile time")
{
    constexpr auto few = std::to_array<std::string_view>({"a", "b"});
    constexpr auto one = std::to_array<std::string_view>({"c"});
    STATIC_REQUIRE(core::joined(few, one, few) == std::to_array<std::string_view>({"a", "b", "c", "a", "b"}));
    STATIC_REQUIRE(core::joined(one) == one);
}
