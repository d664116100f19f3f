#include "http/form.hpp"

#include <catch2/catch.hpp>

namespace {

std::string form_of(int pairs)
{
    std::string form = "a=1";
    for (int i = 1; i < pairs; ++i)
        form += "&a=1";
    return form;
}

} // namespace

TEST_CASE("a form has at most 100 fields")
{
    auto const most = http::parse_form(form_of(100));
    REQUIRE(most);
    CHECK(most->size() == 100);
    CHECK_FALSE(http::parse_form(form_of(101)));
    std::string names;
    for (int i = 0; i < 512 * 1024; ++i)
        names += "a&";
    CHECK_FALSE(http::parse_form(names));
    CHECK_FALSE(http::parse_form(std::string(1024 * 1024, '&')));
}

TEST_CASE("a form is parsed")
{
    auto const form = http::parse_form("From=%2B1415&Body=a+b%26c&&Empty=&Alone");
    REQUIRE(form);
    CHECK(http::find(*form, "From") == "+1415");
    CHECK(http::find(*form, "Body") == "a b&c");
    CHECK(http::find(*form, "Alone").empty());
    CHECK(form->size() == 4);
    CHECK_FALSE(http::parse_form("a=%zz"));
    CHECK(http::parse_form("")->empty());
}
