#include "sms/twilio.hpp"

#include <catch2/catch.hpp>

namespace twilio = sms::twilio;

namespace {

std::string form_of(int pairs)
{
    std::string form = "a=1";
    for (int i = 1; i < pairs; ++i)
        form += "&a=1";
    return form;
}

} // namespace

TEST_CASE("a form has at most 100 parameters")
{
    auto const most = twilio::parse_form(form_of(100));
    REQUIRE(most);
    CHECK(most->size() == 100);
    CHECK_FALSE(twilio::parse_form(form_of(101)));
    std::string names;
    for (int i = 0; i < 512 * 1024; ++i)
        names += "a&";
    CHECK_FALSE(twilio::parse_form(names));
    CHECK_FALSE(twilio::parse_form(std::string(1024 * 1024, '&')));
}
