// Compares countries and premium numbers with libphonenumber.
#include "sms/numbering.hpp"

#include "sms/phone.hpp"
#include "support/process.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <set>
#include <sstream>

namespace {

/// A number and what libphonenumber says of it.
struct Known {
    std::string kind; ///< `example` or `similar`, see node/numbers.mjs
    std::string text;
    std::string country; ///< "" for networks without a country
    std::string type;    ///< such as `PREMIUM_RATE`

    bool is_premium() const
    {
        static constexpr std::array<std::string_view, 3> types{
            "PREMIUM_RATE", "SHARED_COST", "PERSONAL_NUMBER"};
        return country.empty() || std::ranges::find(types, type) != types.end();
    }
};

std::vector<Known> known_numbers()
{
    std::istringstream lines(
        testing::output_of({"node", NPM_FOLDER "/numbers.mjs"}, std::chrono::minutes(2)));
    std::vector<Known> numbers;
    for (Known known; lines >> known.kind >> known.text >> known.country >> known.type;) {
        if (known.country == "-") known.country.clear();
        numbers.push_back(known);
    }
    return numbers;
}

/// What is wrong with our answer, or "".
std::string difference(Known const& known)
{
    auto const number = sms::PhoneNumber::parse(known.text);
    if (!number) return "is not parsed";
    if (number->country() != known.country) return "belongs to " + std::string(number->country());
    if (sms::is_premium(*number) != known.is_premium())
        return sms::is_premium(*number) ? "is premium" : "is not premium";
    return "";
}

bool is_prefix_of_another(std::string_view prefix, std::span<sms::numbering::CountryRange const> ranges)
{
    return std::ranges::count_if(ranges, [=](auto const& r) { return r.prefix.starts_with(prefix); }) > 1;
}

} // namespace

TEST_CASE("countries and premium numbers are those of libphonenumber, for its examples and similar numbers")
{
    std::set<std::string> countries;
    std::size_t premium_examples = 0;
    std::vector<std::string> differences;
    for (auto const& known : known_numbers()) {
        countries.insert(known.country);
        premium_examples += known.kind == "example" && known.type == "PREMIUM_RATE";
        if (auto const text = difference(known); !text.empty() && differences.size() < 20)
            differences.push_back(known.text + " (" + known.country + ", " + known.type + ") " + text);
    }
    CHECK(differences == std::vector<std::string>{});
    CHECK(countries.size() > 240);
    CHECK(premium_examples > 100);
}

TEST_CASE("no calling code is a prefix of another")
{
    for (auto const& code : sms::numbering::calling_codes) {
        INFO(code.prefix);
        CHECK_FALSE(is_prefix_of_another(code.prefix, sms::numbering::calling_codes));
    }
}
