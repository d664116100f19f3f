#include "core/error.hpp"

using core::Error;

TEST_CASE("one fault is told in full")
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

TEST_CASE("a fault of the whole body names the body")
{
    CHECK(Error::validation({{"", "type", "must be a JSON object"}}).detail() ==
          "The body must be a JSON object.");
}

TEST_CASE("several faults are counted")
{
    Error const error =
        Error::validation({{"/a", "required", "is required"}, {"/b", "type", "must be a string"}});
    CHECK(error.detail() == "2 fields are not valid.");
    CHECK(error.faults().size() == 2);
}

TEST_CASE("unavailable says when to come back")
{
    Error const error = Error::unavailable("The database does not answer.", 7);
    CHECK(error.code().status == 503);
    REQUIRE(error.headers().size() == 1);
    CHECK(error.headers()[0] == std::pair<std::string, std::string>("Retry-After", "7"));
    CHECK(Error::unavailable("x").headers()[0].second == "1");
}

TEST_CASE("headers and members are kept through a throw")
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

TEST_CASE("a named error takes headers and members too")
{
    Error error(core::codes::conflict, "Again.");
    error.header("A", "1").header("B", "2").member("x", "y").member("x", "z");
    CHECK(error.headers().size() == 2);
    CHECK(error.members().at("x").as_string() == "z");
    CHECK(error.faults().empty());
}

TEST_CASE("what was looked for is there or not found")
{
    CHECK(core::require_found(std::optional<std::string>("x"), "thing") == "x");
    try {
        core::require_found(std::optional<std::string>(), "thing");
        FAIL("nothing was found");
    } catch (Error const& error) {
        CHECK(error.code().name == "NOT_FOUND");
        CHECK(error.detail() == "There is no such thing.");
    }
}
