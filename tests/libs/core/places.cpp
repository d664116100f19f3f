#include "core/places.hpp"

#include <catch2/catch.hpp>

#include <optional>

TEST_CASE("each key has so many places, and each place is free again when it is let go")
{
    core::Places places(2);
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
    CHECK(places.enter(1)); // and it is given back at once
    CHECK(places.enter(1));
}

TEST_CASE("a place may outlive the places")
{
    std::optional<core::Places> places(std::in_place, 1);
    auto const place = places->enter(7);
    places.reset();
    CHECK(place);
    CHECK_FALSE(core::Places(0).enter(7));
}
