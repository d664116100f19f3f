#include "core/fields.hpp"

using core::Fields;
namespace json = boost::json;

namespace {

constexpr std::string_view colours[] = {"red", "green", "blue"};

/// The errors as `pointer code`, in order.
std::vector<std::string> faults_of(Fields const& fields)
{
    std::vector<std::string> list;
    for (auto const& fault : fields.faults())
        list.push_back(fault.pointer + " " + fault.code);
    return list;
}

using Faults = std::vector<std::string>;

struct TextCase {
    char const* body;
    char const* fault; ///< empty: accepted
    char const* detail;
};

} // namespace

TEST_CASE("a required text must be present and have a valid length")
{
    auto const c = GENERATE(TextCase{R"({"t": "ab"})", "", ""}, TextCase{R"({"t": "abcd"})", "", ""},
        TextCase{R"({"t": "日本語字"})", "", ""}, TextCase{R"({})", "/t required", "is required"},
        TextCase{R"({"t": null})", "/t required", "is required"},
        TextCase{R"({"T": "ab"})", "/t required", "is required"},
        TextCase{R"({"t": 12})", "/t type", "must be a string"},
        TextCase{R"({"t": ["ab"]})", "/t type", "must be a string"},
        TextCase{R"({"t": {"a": 1}})", "/t type", "must be a string"},
        TextCase{R"({"t": true})", "/t type", "must be a string"},
        TextCase{R"({"t": ""})", "/t too_short", "must be at least 2 characters"},
        TextCase{R"({"t": "日"})", "/t too_short", "must be at least 2 characters"},
        TextCase{R"({"t": "abcde"})", "/t too_long", "must be at most 4 characters"},
        TextCase{R"({"t": "日本語字字"})", "/t too_long", "must be at most 4 characters"},
        TextCase{R"({"t": "a\u0000b"})", "/t format", "must not contain U+0000"},
        TextCase{R"({"t": "\u0000\u0000\u0000\u0000\u0000\u0000"})", "/t format", "must not contain U+0000"});
    CAPTURE(c.body);
    json::value const body = json::parse(c.body);
    Fields f(body);
    std::string const text = f.text("t", 2, 4);
    if (*c.fault == '\0') {
        CHECK(f.ok());
        CHECK(text == std::string_view(body.at("t").as_string()));
        CHECK_NOTHROW(f.check());
    } else {
        CHECK(faults_of(f) == Faults{c.fault});
        CHECK(f.faults()[0].detail == c.detail);
        CHECK(text.empty());
        CHECK_THROWS_AS(f.check(), core::Error);
    }
}

TEST_CASE("messages use singular and plural")
{
    json::value const body = json::parse(R"({"one": "", "many": "ab", "list": ["a", "b"]})");
    Fields f(body);
    f.text("one", 1, 200);
    f.text("many", 0, 1);
    f.optional_list("list", 1, 10);
    REQUIRE(f.faults().size() == 3);
    CHECK(f.faults()[0].detail == "must not be empty");
    CHECK(f.faults()[1].detail == "must be at most 1 character");
    CHECK(f.faults()[2].detail == "must have at most 1 item");
}

TEST_CASE("an optional text may be absent or null, but not invalid")
{
    json::value const body = json::parse(R"({"n": null, "ok": "x", "empty": "", "bad": 1})");
    Fields f(body);
    CHECK_FALSE(f.optional_text("absent", 1, 5));
    CHECK_FALSE(f.optional_text("n", 1, 5));
    CHECK(f.optional_text("ok", 1, 5) == "x");
    CHECK(f.optional_text("empty", 0, 5) == "");
    CHECK(f.ok());
    CHECK_FALSE(f.optional_text("bad", 1, 5));
    CHECK(faults_of(f) == Faults{"/bad type"});
    CHECK(f.has("n"));
    CHECK(f.is_null("n"));
    CHECK(f.has("ok"));
    CHECK_FALSE(f.is_null("ok"));
    CHECK_FALSE(f.has("absent"));
    CHECK_FALSE(f.is_null("absent"));
}

TEST_CASE("a word must be one of the allowed words")
{
    json::value const body = json::parse(R"({"c": "blue", "bad": "Blue", "n": null, "t": 1})");
    Fields f(body);
    CHECK(f.one_of("c", colours) == 2);
    CHECK(f.optional_one_of("c", colours) == 2U);
    CHECK_FALSE(f.optional_one_of("n", colours));
    CHECK_FALSE(f.optional_one_of("absent", colours));
    CHECK(f.ok());
    CHECK(f.one_of("bad", colours) == 0);
    CHECK(f.one_of("n", colours) == 0);
    CHECK(f.one_of("absent", colours) == 0);
    CHECK_FALSE(f.optional_one_of("t", colours));
    CHECK(faults_of(f) == Faults{"/bad not_allowed", "/n required", "/absent required", "/t type"});
    CHECK(f.faults()[0].detail == "must be one of red, green, blue");
}

TEST_CASE("an integer must be a whole number within its bounds")
{
    struct Case {
        char const* number;
        char const* fault;
        std::int64_t value;
    };

    auto const c = GENERATE(Case{"1", "", 1}, Case{"100", "", 100}, Case{"20.0", "", 20}, Case{"1e1", "", 10},
        Case{"0", "/i range", 0}, Case{"101", "/i range", 0}, Case{"-5", "/i range", 0},
        Case{"1.5", "/i type", 0}, Case{"\"5\"", "/i type", 0}, Case{"true", "/i type", 0},
        Case{"[1]", "/i type", 0}, Case{"null", "/i required", 0}, Case{"9223372036854775807", "/i range", 0},
        Case{"9223372036854775808", "/i range", 0}, Case{"18446744073709551615", "/i range", 0},
        Case{"18446744073709551616", "/i range", 0}, Case{"1e300", "/i range", 0},
        Case{"-1e300", "/i range", 0}, Case{"1e-5", "/i type", 0});
    CAPTURE(c.number);
    json::value const body = json::parse(std::string(R"({"i": )") + c.number + "}");
    Fields f(body);
    CHECK(f.integer("i", 1, 100) == c.value);
    CHECK(faults_of(f) == (*c.fault == '\0' ? Faults{} : Faults{c.fault}));
}

TEST_CASE("integers may have 64 bits, and doubles are accepted if they are exact")
{
    constexpr auto least = std::numeric_limits<std::int64_t>::min();
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    json::value const body = json::parse(
        R"({"a": -9223372036854775808, "b": 9223372036854775807, "c": 9007199254740992.0, "d": 9007199254740994.0})");
    Fields f(body);
    CHECK(f.integer("a", least, most) == least);
    CHECK(f.optional_integer("b", least, most) == most);
    CHECK(f.integer("c", least, most) == 9007199254740992);
    CHECK_FALSE(f.optional_integer("absent", 1, 2));
    CHECK(f.ok());
    CHECK_FALSE(f.optional_integer("d", least, most));
    CHECK(faults_of(f) == Faults{"/d range"});
}

TEST_CASE("booleans and times are read")
{
    json::value const body = json::parse(
        R"({"yes": true, "no": false, "n": null, "s": "true", "one": 1,
            "at": "2026-01-31T00:00:00+01:00", "late": "tomorrow", "number": 5})");
    Fields f(body);
    CHECK(f.optional_boolean("yes") == true);
    CHECK(f.optional_boolean("no") == false);
    CHECK_FALSE(f.optional_boolean("n"));
    CHECK_FALSE(f.optional_boolean("absent"));
    CHECK(f.optional_time("at") == core::parse_rfc3339("2026-01-30T23:00:00Z"));
    CHECK_FALSE(f.optional_time("n"));
    CHECK_FALSE(f.optional_time("absent"));
    CHECK(f.ok());
    CHECK_FALSE(f.optional_boolean("s"));
    CHECK_FALSE(f.optional_boolean("one"));
    CHECK_FALSE(f.optional_time("late"));
    CHECK_FALSE(f.optional_time("number"));
    CHECK(faults_of(f) == Faults{"/s type", "/one type", "/late format", "/number type"});
}

TEST_CASE("lists of texts are read and limited")
{
    json::value const body = json::parse(
        R"({"ok": ["a", "b", "a"], "empty": [], "n": null, "not": "a", "many": ["a", "b", "c", "d"],
        "mixed": ["fine", "", 5, "too long", null, "a\u0000"]})");
    Fields f(body);
    CHECK(f.optional_list("ok", 3, 5) == std::vector<std::string>{"a", "b", "a"});
    CHECK(f.optional_list("empty", 3, 5).empty());
    CHECK(f.optional_list("n", 3, 5).empty());
    CHECK(f.optional_list("absent", 3, 5).empty());
    CHECK(f.ok());
    CHECK(f.optional_list("not", 3, 5).empty());
    CHECK(f.optional_list("many", 3, 5).empty());
    CHECK(f.optional_list("mixed", 6, 5).empty());
    CHECK(faults_of(f) == Faults{"/not type", "/many too_many", "/mixed/1 too_short", "/mixed/2 type",
                              "/mixed/3 too_long", "/mixed/4 type", "/mixed/5 format"});
}

TEST_CASE("pointers are escaped according to RFC 6901")
{
    json::value const body = json::parse(R"({"a/b": 1, "m~n": 1, "~1": ["", ""]})");
    Fields f(body);
    f.text("a/b", 1, 2);
    f.text("m~n", 1, 2);
    f.optional_list("~1", 5, 5);
    CHECK(faults_of(f) == Faults{"/a~1b type", "/m~0n type", "/~01/0 too_short", "/~01/1 too_short"});
}

TEST_CASE("all errors are collected and thrown as one error")
{
    json::value const body = json::parse(R"({"title": "", "priority": "urgent"})");
    Fields f(body);
    f.text("title", 1, 200);
    f.text("body", 1, 200);
    f.optional_one_of("priority", colours);
    try {
        f.check();
        FAIL("no error was thrown");
    } catch (core::Error const& error) {
        CHECK(error.code().name == "VALIDATION_ERROR");
        REQUIRE(error.faults().size() == 3);
        CHECK(error.faults()[0].pointer == "/title");
        CHECK(error.faults()[1].pointer == "/body");
        CHECK(error.faults()[2].pointer == "/priority");
    }
}

TEST_CASE("only the first error of a field is kept")
{
    json::value const body = json::parse(R"({"email": 5})");
    Fields f(body);
    f.text("email", 1, 200);
    f.fault("email", "format", "must be an address");
    f.fault("other", "format", "must be nicer");
    f.fault_at("ids", 3, "not_allowed", "is not known");
    f.fault_at("ids", 3, "format", "is not an id");
    CHECK(faults_of(f) == Faults{"/email type", "/other format", "/ids/3 not_allowed"});
}

TEST_CASE("a body that is not an object is the only error")
{
    auto const* text = GENERATE(as<char const*>(), "[]", "\"x\"", "5", "null", "true");
    json::value const body = json::parse(text);
    Fields f(body);
    CHECK(f.text("title", 1, 10).empty());
    CHECK(f.integer("count", 1, 10) == 0);
    f.fault("title", "format", "is bad");
    CHECK_FALSE(f.has("title"));
    CHECK(faults_of(f) == Faults{" type"});
    CHECK(f.faults()[0].detail == "must be a JSON object");
    CHECK_THROWS_AS(f.check_any_of(colours), core::Error);
    CHECK(f.faults().size() == 1);
}

TEST_CASE("faults in nested objects have their full pointers")
{
    json::value const body = json::parse(R"({"app": {"name": 5}, "n": null, "s": "x", "list": [1, 2, 3]})");
    Fields f(body);
    auto const* app = f.optional_object("app");
    REQUIRE(app != nullptr);
    Fields nested(*app, "/app");
    nested.text("name", 1, 10);
    nested.text("a/b", 1, 10);
    f.absorb(nested);
    f.absorb(nested);
    CHECK(f.optional_object("n") == nullptr);
    CHECK(f.optional_object("absent") == nullptr);
    CHECK(faults_of(f) == Faults{"/app/name type", "/app/a~1b required"});
    CHECK(f.optional_object("s") == nullptr);
    CHECK(faults_of(f) == Faults{"/app/name type", "/app/a~1b required", "/s type"});
    Fields not_object(body.at("s"), "/s");
    CHECK(faults_of(not_object) == Faults{"/s type"});
}

TEST_CASE("the number of reported errors is limited")
{
    json::array list;
    json::object object;
    for (int i = 0; i < 1'000; ++i) {
        list.emplace_back(i);
        object["field" + std::to_string(i)] = i;
    }
    json::value const body{{"list", std::move(list)}};
    Fields f(body);
    f.optional_list("list", 1'000, 10);
    f.text("title", 1, 10);
    REQUIRE(f.faults().size() == Fields::max_faults);
    CHECK(f.faults().front().pointer == "/list/0");
    CHECK(f.faults().back().pointer == "/list/99"); // the first faults, each once

    json::value const members = std::move(object);
    Fields nested(members, "/data"), all(body);
    for (auto const& member : members.get_object())
        nested.text(member.key(), 1, 10);
    all.text("first", 1, 10);
    all.absorb(nested);
    CHECK(nested.faults().size() == Fields::max_faults);
    CHECK(all.faults().size() == Fields::max_faults);
    CHECK(all.faults().front().pointer == "/first");
    CHECK_THROWS_AS(all.check(), core::Error);
}

TEST_CASE("a member's name must not contain U+0000 if the client chooses it")
{
    using namespace std::string_literals;
    json::object members{{"good", "x"}};
    members["a\0b"s] = "x";
    members["bad"] = "x\0"s;
    json::value const body = std::move(members);
    Fields f(body);
    CHECK(f.entry("good", 0, 10) == "x");
    f.entry("a\0b"s, 0, 10);
    f.entry("bad", 0, 10);
    CHECK(faults_of(f) == Faults{"/a\0b format"s, "/bad format"});
}
