#include "core/fields.hpp"

using core::Fields;
namespace json = boost::json;

static constexpr std::string_view colours[] = {"red", "green", "blue"};

TEST_CASE("a text field of a PATCH may be absent, cleared or changed")
{
    json::value const body = json::parse(R"({"clear": null, "set": "x", "bad": "", "wrong": 5})");
    Fields f(body);
    auto const left = f.change_text("absent", 1, 10);
    CHECK_FALSE(left);
    CHECK_FALSE(left.value);
    auto const cleared = f.change_text("clear", 1, 10);
    CHECK(cleared);
    CHECK_FALSE(cleared.value);
    auto const set = f.change_text("set", 1, 10);
    CHECK(set);
    CHECK(set.value == "x");
    CHECK(f.ok());
    // An invalid value must not clear the field.
    CHECK_FALSE(f.change_text("bad", 1, 10));
    CHECK_FALSE(f.change_text("wrong", 1, 10));
    CHECK(f.faults().size() == 2);
}

TEST_CASE("a word of a PATCH may be changed, and cleared if nullable")
{
    json::value const body = json::parse(R"({"n": null, "set": "green", "bad": "pink"})");
    Fields f(body);
    CHECK_FALSE(f.change_one_of("absent", colours, false));
    CHECK(f.change_one_of("set", colours, false).value == 1U);
    auto const cleared = f.change_one_of("n", colours, true);
    CHECK(cleared);
    CHECK_FALSE(cleared.value);
    CHECK(f.ok());
    CHECK_FALSE(f.change_one_of("n", colours, false));
    CHECK_FALSE(f.change_one_of("bad", colours, true));
    REQUIRE(f.faults().size() == 2);
    CHECK(f.faults()[0].code == "required");
    CHECK(f.faults()[0].detail == "must not be null");
    CHECK(f.faults()[1].code == "not_allowed");
}

TEST_CASE("a list of a PATCH may be absent, cleared, emptied or changed")
{
    json::value const body = json::parse(R"({"n": null, "set": ["a", "b"], "empty": [], "bad": ["a", 1]})");
    Fields f(body);
    CHECK_FALSE(f.change_list("absent", 3, 5));
    CHECK(f.change_list("n", 3, 5).present);
    CHECK_FALSE(f.change_list("n", 3, 5).value);
    CHECK(f.change_list("set", 3, 5).value == std::vector<std::string>{"a", "b"});
    REQUIRE(f.change_list("empty", 3, 5).value);
    CHECK(f.change_list("empty", 3, 5).value->empty());
    CHECK(f.ok());
    CHECK_FALSE(f.change_list("bad", 3, 5));
    REQUIRE(f.faults().size() == 1);
    CHECK(f.faults()[0].pointer == "/bad/1");
}

TEST_CASE("a PATCH must change at least one known field")
{
    json::value const empty = json::parse(R"({"unknown": 1})");
    Fields none(empty);
    CHECK_THROWS_AS(none.check_any_of(colours), core::Error);
    REQUIRE(none.faults().size() == 1);
    CHECK(none.faults()[0].pointer.empty());
    CHECK(none.faults()[0].code == "required");
    CHECK(none.faults()[0].detail == "must have at least one of red, green, blue");
    json::value const body = json::parse(R"({"green": null})");
    Fields one(body);
    CHECK_NOTHROW(one.check_any_of(colours));
    json::value const faulty = json::parse(R"({"green": 5})");
    Fields wrong(faulty);
    wrong.text("green", 1, 5);
    CHECK_THROWS_AS(wrong.check_any_of(colours), core::Error);
    CHECK(wrong.faults().size() == 1);
}
