#include "crypto/compare.hpp"

using crypto::equal_constant_time;

TEST_CASE("only equal bytes compare equal")
{
    CHECK(equal_constant_time("", ""));
    CHECK(equal_constant_time(std::string_view(), std::string_view()));
    CHECK(equal_constant_time("abc", std::string("abc")));
    CHECK(equal_constant_time(std::string_view("a\0b", 3), std::string_view("a\0b", 3)));
    CHECK_FALSE(equal_constant_time(std::string_view("a\0b", 3), std::string_view("a\0c", 3)));
    CHECK_FALSE(equal_constant_time("abc", "abd"));
    CHECK_FALSE(equal_constant_time("abc", "Abc"));
    CHECK_FALSE(equal_constant_time("abc", "abcd"));
    CHECK_FALSE(equal_constant_time("abc", ""));
    CHECK_FALSE(equal_constant_time("", "a"));
}
