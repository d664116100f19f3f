#include "core/error.hpp"

using core::Error;

TEST_CASE("a single fault is described completely")
{
    Error const error = Error::validation({{"/title", "required", "is required"}});
    CHECK(error.code().name == "VALIDATION_ERROR");
    CHECK(error.code().status == 400);
    CHECK(error.detail() == "/title is required.");
    CHECK(std::string(error.what()) == error.detail());
    REQUIRE(error.faults().size() == 1);
    CHECK(error.faults()[0].pointer == "/title");
    CHECK(error.faults()[0].code == "required");
}

TEST_CASE("an error of the whole body names the body")
{
    CHECK(Error::validation({{"", "type", "must be a JSON object"}}).detail() ==
          "The body must be a JSON object.");
}

TEST_CASE("the detail of an error with several faults states their number")
{
    Error const error =
        Error::validation({{"/a", "required", "is required"}, {"/b", "type", "must be a string"}});
    CHECK(error.detail() == "2 fields are not valid.");
    CHECK(error.faults().size() == 2);
}

TEST_CASE("only the first of many faults are listed")
{
    std::vector<core::FieldError> many;
    for (std::size_t i = 0; i <= Error::max_faults; ++i)
        many.push_back({"/field" + std::to_string(i), "required", "is required"});
    Error const error = Error::validation(many);
    REQUIRE(error.faults().size() == Error::max_faults);
    CHECK(error.faults().front().pointer == "/field0");
    CHECK(error.faults().back().pointer == "/field99");
}

TEST_CASE("a long name in a pointer is truncated")
{
    auto const said = [](std::string const& pointer) {
        return Error::validation({{pointer, "type", "must be a string"}}).faults().at(0).pointer;
    };
    std::string const longest(Error::max_name, 'x');
    CHECK(said("/data/" + longest) == "/data/" + longest);
    CHECK(said("/data/" + longest + "y/3") == "/data/" + longest + "\u2026/3");
    CHECK(said("/" + std::string(100'000, 'x')) == "/" + longest + "\u2026");
    CHECK(said("?" + longest + "y") == "?" + longest.substr(1) + "\u2026");
    CHECK(said("/a~1b/c~0d") == "/a~1b/c~0d");
    // Neither a character nor an escape sequence is cut in two.
    std::string const almost(Error::max_name - 1, 'x');
    CHECK(said("/" + almost + "\u00fc") == "/" + almost + "\u2026");
    CHECK(said("/" + almost + "~1") == "/" + almost + "\u2026");
    CHECK(Error::validation({{"/" + longest + "y", "required", "is required"}}).detail() ==
          "/" + longest + "\u2026 is required.");
}

TEST_CASE("an UNAVAILABLE error has a Retry-After")
{
    Error const error = Error::unavailable("The database does not answer.", 7);
    CHECK(error.code().status == 503);
    REQUIRE(error.headers().size() == 1);
    CHECK(error.headers()[0] == std::pair<std::string, std::string>("Retry-After", "7"));
    CHECK(Error::unavailable("x").headers()[0].second == "1");
}

TEST_CASE("an error keeps its headers and members when it is thrown")
{
    try {
        throw Error(core::codes::rate_limited, "Slow down.")
            .header("Retry-After", "3")
            .member("attemptsRemaining", 0);
    } catch (Error const& error) {
        CHECK(error.code().name == "RATE_LIMITED");
        CHECK(error.headers().at(0).second == "3");
        CHECK(error.members().at("attemptsRemaining").as_int64() == 0);
    }
}

TEST_CASE("headers and members can be added to an error variable")
{
    Error error(core::codes::conflict, "Again.");
    error.header("A", "1").header("B", "2").member("x", "y").member("x", "z");
    CHECK(error.headers().size() == 2);
    CHECK(error.members().at("x").as_string() == "z");
    CHECK(error.faults().empty());
}

TEST_CASE("require_found returns the value or throws NOT_FOUND")
{
    CHECK(core::require_found(std::optional<std::string>("x"), "thing") == "x");
    try {
        core::require_found(std::optional<std::string>(), "thing");
        FAIL("nothing was found");
    } catch (Error const& error) {
        CHECK(error.code().name == "NOT_FOUND");
        CHECK(error.detail() == "This environment has no thing with this id.");
    }
}
