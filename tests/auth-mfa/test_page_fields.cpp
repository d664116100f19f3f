#include "pages/countries.hpp"
#include "pages/phone_field.hpp"
#include "pages/qr_code.hpp"
#include "sms/numbering.hpp"
#include "sms/phone.hpp"

#include <catch2/catch.hpp>

#include <set>
#include <stdexcept>

// Phone numbers as users enter them, the list of countries, and QR codes.

using namespace auth_mfa;

namespace {

struct Entered {
    std::string_view country, text, number;
};

std::string_view likely(std::string_view page_language, std::string_view accept_language,
    std::vector<std::string> const& allowed = {})
{
    return pages::likely_country(
        pages::choose_language(page_language, accept_language), accept_language, allowed);
}

} // namespace

TEST_CASE("a phone number is read as people write it", "[pages]")
{
    for (auto const& [country, text, number] : std::initializer_list<Entered>{
             {"DE", "0151 23456789", "+4915123456789"},
             {"DE", "151 23456789", "+4915123456789"},
             {"DE", "+49 (0)151/2345-6789", "+4915123456789"},
             {"DE", "0049 151 23456789", "+4915123456789"},
             {"US", "(415) 555-0100", "+14155550100"},
             {"US", "1 415 555 0100", "+14155550100"},
             {"US", "+49 151 23456789", "+4915123456789"},
             {"GB", "07911 123456", "+447911123456"},
             {"HU", "06 30 123 4567", "+36301234567"},
             {"RU", "8 (912) 345-67-89", "+79123456789"},
             {"RU", "812 345 67 89", "+78123456789"}, // the 8 belongs to the number
             {"IT", "06 1234 5678", "+390612345678"}, // Italian numbers keep the zero
             {"FR", "06.12.34.56.78", "+33612345678"},
             {"JP", "\u202a090\u20101234\u20105678\u202c", "+819012345678"}, // as contacts are copied
             {"JP", "０９０−１２３４−５６７８", "+819012345678"},
             {"DE", "＋４９ 151 23456789", "+4915123456789"},
             {"EG", "٠١٠٠ ١٢٣ ٤٥٦٧", "+201001234567"},
             {"IR", "۰۹۱۲ ۳۴۵ ۶۷۸۹", "+989123456789"},
             {"", "+49 151 23456789", "+4915123456789"},
         }) {
        INFO(country << ' ' << text);
        CHECK(pages::phone_number(country, text) == number);
        CHECK(sms::PhoneNumber::parse(number));
    }
}

TEST_CASE("text that is not a phone number stays invalid", "[pages]")
{
    for (auto const& [country, text, number] :
        std::initializer_list<Entered>{{"DE", "", ""}, {"DE", "ada@example.com", ""},
            {"DE", "0151x23456789", ""}, {"", "0151 23456789", ""}, {"XX", "151 23456789", ""},
            {"DE", "++49151", ""}, {"DE", "12", ""}, {"DE", "4+915123456789", ""}}) {
        INFO(country << ' ' << text);
        CHECK_FALSE(sms::PhoneNumber::parse(pages::phone_number(country, text)));
    }
}

TEST_CASE("the list of countries has the countries of all numbers, with a name in every language", "[pages]")
{
    std::set<std::string_view> known;
    for (auto const ranges : {sms::numbering::calling_codes, sms::numbering::shared_codes})
        for (auto const& range : ranges)
            if (!range.country.empty()) known.insert(range.country);
    std::set<std::string_view> listed;
    for (auto const& country : pages::countries()) {
        INFO(country.code);
        CHECK(listed.insert(country.code).second);
        CHECK(country.shortest >= 4);
    }
    CHECK(listed == known);
    for (auto const& language : pages::languages()) {
        std::set<std::string_view> named, names;
        for (auto const& [country, name] : pages::country_names(language.code())) {
            INFO(language.code() << ' ' << country);
            CHECK(named.insert(country).second);
            CHECK_FALSE(name.empty());
            CHECK(names.insert(name).second);
        }
        CHECK(named == known);
    }
    CHECK(pages::country_names("de").front().name == "Afghanistan");
    CHECK(pages::country_names("fr").front().name == "Afghanistan");
    CHECK(pages::country_names("es").front().name == "Afganistán");
}

TEST_CASE("the list of countries begins with the likely one", "[pages]")
{
    CHECK(likely("", "de-AT,de;q=0.9,en-US;q=0.8") == "AT");
    CHECK(likely("", "de,de-CH;q=0.9,en-US;q=0.8") == "CH");
    CHECK(likely("", "de,en-US;q=0.8") == "DE");
    CHECK(likely("", "en") == "US");
    CHECK(likely("", "en-GB") == "GB");
    CHECK(likely("", "zh-Hant-TW") == "TW");
    CHECK(likely("", "pt") == "BR");
    CHECK(likely("", "EN-gb") == "GB");
    CHECK(likely("", "es-419,es") == "ES"); // Latin America is no country
    CHECK(likely("", "") == "US");
    CHECK(likely("", "en-XX, de--DE ,,;") == "US");
    CHECK(likely("ja", "") == "JP");
    CHECK(likely("ja", "en-GB") == "GB");
    CHECK(likely("", "de-AT", {"DE", "AT"}) == "AT");
    CHECK(likely("", "en-US", {"DE", "AT"}).empty());
}

TEST_CASE("a QR code has a quiet zone, and is refused if the text is too long", "[pages]")
{
    auto const code = pages::qr_code("otpauth://totp/x?secret=ABC");
    CHECK((code.size - 8 - 21) % 4 == 0);
    CHECK(code.path.starts_with("M4 4h7v1H4z")); // the corner of the first finder pattern
    CHECK(pages::qr_code(std::string(2'331, 'a')).size == 177 + 8);
    CHECK_THROWS_AS(pages::qr_code(std::string(2'332, 'a')), std::length_error);
}
