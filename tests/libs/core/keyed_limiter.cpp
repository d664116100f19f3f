#include "core/keyed_limiter.hpp"

#include <catch2/catch.hpp>

#include <optional>

TEST_CASE("each key has a limit, and a new use may begin after another use has ended")
{
    core::KeyedLimiter places(2);
    auto first = places.enter(1);
    auto const second = places.enter(1), elsewhere = places.enter(2);
    CHECK(first);
    CHECK(second);
    CHECK(elsewhere);
    CHECK_FALSE(places.enter(1));
    auto copy = first;
    first.reset();
    CHECK_FALSE(places.enter(1));
    copy.reset();
    CHECK(places.enter(1)); // the place is released at once
    CHECK(places.enter(1));
}

TEST_CASE("a use may outlive its KeyedLimiter object")
{
    std::optional<core::KeyedLimiter> places(std::in_place, 1);
    auto const place = places->enter(7);
    places.reset();
    CHECK(place);
    CHECK_FALSE(core::KeyedLimiter(0).enter(7));
}
