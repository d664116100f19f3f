#include "sms/phone.hpp"

#include <catch2/catch.hpp>

using sms::PhoneNumber;

namespace {

PhoneNumber number(std::string_view text)
{
    auto const parsed = PhoneNumber::parse(text);
    REQUIRE(parsed);
    return *parsed;
}

} // namespace

TEST_CASE("a phone number is a plus, an assigned calling code and at most 15 digits")
{
    for (auto const* good : {"+14155550100", "+4915112345678", "+442079460123", "+2902345", "+6834567",
             "+383441234567", "+861381234567890", "+390612345678"}) {
        INFO(good);
        CHECK(number(good).text() == good);
    }
    for (auto const* bad : {"", "+", "14155550100", "+04155550100", "+1 4155550100", "+1-415-555-0100",
             "+1415555010a", "+1415555010012345", "++14155550100", "+1", "+1415", "+21012345678",
             "+99912345678", "+38812345678", "+4915112345678 ", "\uff0b14155550100"}) {
        INFO(bad);
        CHECK_FALSE(PhoneNumber::parse(bad));
    }
    CHECK_FALSE(PhoneNumber::parse(std::string("+1415555") + '\0' + "100"));
}

TEST_CASE("calling codes of any length are found")
{
    CHECK(number("+4915112345678").masked() == "+49*********78");
    CHECK(number("+383441234567").masked() == "+383*******67");
    CHECK(number("+79161234567").masked() == "+7********67");
}

TEST_CASE("the country of a number is found even if countries share its calling code")
{
    struct Case {
        char const* text;
        char const* country;
    };

    for (auto const& [text, country] : {Case{"+14155550100", "US"}, Case{"+14165550100", "CA"},
             Case{"+18765550100", "JM"}, Case{"+17875550100", "PR"}, Case{"+447700900123", "GB"},
             Case{"+441534123456", "JE"}, Case{"+79161234567", "RU"}, Case{"+77012345678", "KZ"},
             Case{"+393331234567", "IT"}, Case{"+390669812345", "VA"}, Case{"+24740123", "AC"},
             Case{"+2908999", "TA"}, Case{"+29022158", "SH"}, Case{"+358181234567", "AX"},
             Case{"+447624123456", "IM"}, Case{"+5997151234", "BQ"}, Case{"+59994351234", "CW"},
             Case{"+672106609", "NF"}, Case{"+881612345678", ""}}) {
        INFO(text);
        CHECK(number(text).country() == country);
    }
    CHECK(sms::is_country("DE"));
    CHECK(sms::is_country("CA"));
    CHECK_FALSE(sms::is_country("de"));
    CHECK_FALSE(sms::is_country(""));
    CHECK_FALSE(sms::is_country("ZZ"));
}

TEST_CASE("a list of countries allows only these countries, and an empty list allows all")
{
    std::vector<std::string> const none, two{"US", "DE"}, nowhere{""};
    CHECK(sms::is_among(number("+33612345678"), none));
    CHECK(sms::is_among(number("+14155550100"), two));
    CHECK_FALSE(sms::is_among(number("+14165550100"), two));
    CHECK_FALSE(sms::is_among(number("+881612345678"), two));
    CHECK(sms::is_among(number("+881612345678"), none));
}

TEST_CASE("an unassigned number belongs to the main country of its calling code")
{
    CHECK(number("+19995550100").country() == "US");
    CHECK(number("+440000").country() == "GB");
}

TEST_CASE("some numbers belong to a country only if they have a certain length")
{
    CHECK(number("+13101234").country() == "CA");
    CHECK(number("+13105550100").country() == "US");
}

TEST_CASE("premium destinations are recognized")
{
    for (auto const* text :
        {"+979123456789", "+19005550100", "+882123456789", "+881612345678", "+80012345678", "+449098790000",
            "+447012345678", "+448712345678", "+499001234567", "+491371234567", "+33899123456",
            "+34905123456", "+221881234567", "+971900234567", "+819901234567"}) {
        INFO(text);
        CHECK(sms::is_premium(number(text)));
    }
    for (auto const* text : {"+14155550100", "+18005550100", "+447700900123", "+4915112345678",
             "+33612345678", "+353861234567", "+971501234567", "+819012345678"}) {
        INFO(text);
        CHECK_FALSE(sms::is_premium(number(text)));
    }
}

TEST_CASE("some prefixes are premium only in numbers of a certain length")
{
    CHECK(sms::is_premium(number("+3531520123456")));     // 1520 123 456
    CHECK_FALSE(sms::is_premium(number("+35315201234"))); // Dublin, 01 520 1234
}

TEST_CASE("a masked number contains only its calling code and two digits")
{
    CHECK(number("+14155550199").masked() == "+1********99");
    CHECK(number("+383441234567").masked() == "+383*******67");
    CHECK(number("+2902345").masked() == "+290**45");
}
