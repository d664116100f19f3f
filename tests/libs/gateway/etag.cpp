#include "http/etag.hpp"

#include "core/error.hpp"
#include "support.hpp"

namespace {

bool matches(std::string const& if_match, std::string_view current)
{
    http::Request request;
    request.headers.push_back({"If-Match", if_match});
    try {
        http::check_if_match(request, current);
        return true;
    } catch (core::Error const&) {
        return false;
    }
}

} // namespace

TEST_CASE("an entity tag is quoted")
{
    CHECK(http::etag("v3") == "\"v3\"");
    CHECK(http::etag(std::int64_t{3}) == "\"3\"");
}

TEST_CASE("If-Match is compared strongly")
{
    struct Case {
        char const* header;
        bool matches;
    };

    auto const cases = std::array{
        Case{R"("v3")", true},
        Case{R"(  "v3"	)", true},
        Case{"*", true},
        Case{" * ", true},
        Case{R"("v1", "v3")", true},
        Case{R"("v1","v2","v3")", true},
        Case{R"(, "v3",)", true},
        Case{R"("v1 , ", "v3")", true}, // a comma within a tag
        Case{R"(W/"v3")", false},
        Case{R"(W/"v3", "v3")", true},
        Case{R"("v2")", false},
        Case{R"(v3)", false},
        Case{R"("v3)", false},
        Case{R"("v1" "v3")", false},
        Case{R"("V3")", false},
        Case{"", false},
        Case{",", false},
        Case{"*, \"v1\"", false},
    };
    for (auto const& c : cases) {
        INFO(c.header);
        CHECK(matches(c.header, "\"v3\"") == c.matches);
    }
    CHECK_FALSE(matches(R"(W/"v3")", R"(W/"v3")")); // a weak tag never matches strongly
}

TEST_CASE("counters of an entity tag do not refuse a change")
{
    CHECK(matches(R"("3.1~7")", R"("3.1~8")"));
    CHECK(matches(R"("3.1")", R"("3.1~8")")); // of a version without counters
    CHECK(matches(R"("3.1~7")", R"("3.1")"));
    CHECK_FALSE(matches(R"("3.2~8")", R"("3.1~8")"));
    CHECK_FALSE(matches(R"("3~1")", R"("3.1~8")"));
    CHECK_FALSE(matches(R"(W/"3.1~8")", R"("3.1~8")"));
}

TEST_CASE("a request with a failed precondition gets 412")
{
    http::Request request;
    CHECK_NOTHROW(http::check_if_match(request, "\"v3\""));
    request.headers.push_back({"if-match", "\"v2\""});
    try {
        http::check_if_match(request, "\"v3\"");
        FAIL("the precondition did not fail");
    } catch (core::Error const& error) {
        CHECK(error.code().status == 412);
    }
    request.headers.push_back({"If-Match", "\"v3\""}); // a second line continues the list
    CHECK_NOTHROW(http::check_if_match(request, "\"v3\""));
}

TEST_CASE("an object with a version number has it as entity tag")
{
    http::Request request;
    request.headers.push_back({"If-Match", "\"3\""});
    CHECK_NOTHROW(http::check_if_match(request, 3));
    CHECK_THROWS_AS(http::check_if_match(request, 4), core::Error);
}

TEST_CASE("If-None-Match is compared weakly")
{
    http::Request request;
    CHECK_FALSE(http::is_not_modified(request, "\"v3\""));
    request.headers.push_back({"If-Match", "\"v3\""});
    CHECK_FALSE(http::is_not_modified(request, "\"v3\""));
    for (auto const* named : {R"("v3")", R"(W/"v3")", R"("v1", W/"v3")", "*"}) {
        INFO(named);
        http::Request conditional;
        conditional.headers = {{"if-none-match", "\"v2\""}, {"If-None-Match", named}};
        CHECK(http::is_not_modified(conditional, "\"v3\""));
        CHECK(http::is_not_modified(conditional, "W/\"v3\""));
    }
    for (auto const* other : {R"("v2")", "v3", "", R"(W/v3)", R"("W/v3")"}) {
        INFO(other);
        http::Request conditional;
        conditional.headers = {{"If-None-Match", other}};
        CHECK_FALSE(http::is_not_modified(conditional, "\"v3\""));
    }
}
