#include "core/enum_names.hpp"

#include <catch2/catch.hpp>

namespace paint {

enum class Colour { red, dark_green };

constexpr auto enum_names(Colour)
{
    return std::to_array<std::string_view>({"red", "dark-green"});
}

using core::to_string;

} // namespace paint

namespace {

using paint::Colour;

static_assert(to_string(Colour::dark_green) == "dark-green");
static_assert(core::parse_enum<Colour>("dark-green") == Colour::dark_green);
static_assert(core::names_of<Colour>.size() == 2);

static_assert(core::detail::is_enumerator<Colour(1)>());
static_assert(!core::detail::is_enumerator<Colour(2)>());

} // namespace

TEST_CASE("the names of an enum's values can be formatted and parsed")
{
    for (auto const colour : {Colour::red, Colour::dark_green}) {
        CHECK(core::parse_enum<Colour>(to_string(colour)) == colour);
        CHECK(core::stored_enum<Colour>(to_string(colour)) == colour);
    }
}

TEST_CASE("other text is not the name of a value")
{
    for (auto const* name : {"", "Red", "re", "reds", "dark_green"}) {
        CHECK_FALSE(core::parse_enum<Colour>(name));
        CHECK_THROWS_AS(core::stored_enum<Colour>(name), std::runtime_error);
    }
}
