#include "sms/phone.hpp"

#include <algorithm>
#include <array>

namespace sms {

namespace {

struct Range {
    std::string_view prefix; ///< digits after the `+`
    std::string_view country;
};

/// The country calling codes of E.164. Each entry names the country to which all or most numbers of the code
/// belong. Sorted.
constexpr auto calling_codes = std::to_array<Range>({
    // clang-format off
    {"1", "US"}, {"20", "EG"}, {"211", "SS"}, {"212", "MA"}, {"213", "DZ"}, {"216", "TN"}, {"218", "LY"},
    {"220", "GM"}, {"221", "SN"}, {"222", "MR"}, {"223", "ML"}, {"224", "GN"}, {"225", "CI"}, {"226", "BF"},
    {"227", "NE"}, {"228", "TG"}, {"229", "BJ"}, {"230", "MU"}, {"231", "LR"}, {"232", "SL"}, {"233", "GH"},
    {"234", "NG"}, {"235", "TD"}, {"236", "CF"}, {"237", "CM"}, {"238", "CV"}, {"239", "ST"}, {"240", "GQ"},
    {"241", "GA"}, {"242", "CG"}, {"243", "CD"}, {"244", "AO"}, {"245", "GW"}, {"246", "IO"}, {"247", "SH"},
    {"248", "SC"}, {"249", "SD"}, {"250", "RW"}, {"251", "ET"}, {"252", "SO"}, {"253", "DJ"}, {"254", "KE"},
    {"255", "TZ"}, {"256", "UG"}, {"257", "BI"}, {"258", "MZ"}, {"260", "ZM"}, {"261", "MG"}, {"262", "RE"},
    {"263", "ZW"}, {"264", "NA"}, {"265", "MW"}, {"266", "LS"}, {"267", "BW"}, {"268", "SZ"}, {"269", "KM"},
    {"27", "ZA"}, {"290", "SH"}, {"291", "ER"}, {"297", "AW"}, {"298", "FO"}, {"299", "GL"}, {"30", "GR"},
    {"31", "NL"}, {"32", "BE"}, {"33", "FR"}, {"34", "ES"}, {"350", "GI"}, {"351", "PT"}, {"352", "LU"},
    {"353", "IE"}, {"354", "IS"}, {"355", "AL"}, {"356", "MT"}, {"357", "CY"}, {"358", "FI"}, {"359", "BG"},
    {"36", "HU"}, {"370", "LT"}, {"371", "LV"}, {"372", "EE"}, {"373", "MD"}, {"374", "AM"}, {"375", "BY"},
    {"376", "AD"}, {"377", "MC"}, {"378", "SM"}, {"379", "VA"}, {"380", "UA"}, {"381", "RS"}, {"382", "ME"},
    {"383", "XK"}, {"385", "HR"}, {"386", "SI"}, {"387", "BA"}, {"389", "MK"}, {"39", "IT"}, {"40", "RO"},
    {"41", "CH"}, {"420", "CZ"}, {"421", "SK"}, {"423", "LI"}, {"43", "AT"}, {"44", "GB"}, {"45", "DK"},
    {"46", "SE"}, {"47", "NO"}, {"48", "PL"}, {"49", "DE"}, {"500", "FK"}, {"501", "BZ"}, {"502", "GT"},
    {"503", "SV"}, {"504", "HN"}, {"505", "NI"}, {"506", "CR"}, {"507", "PA"}, {"508", "PM"}, {"509", "HT"},
    {"51", "PE"}, {"52", "MX"}, {"53", "CU"}, {"54", "AR"}, {"55", "BR"}, {"56", "CL"}, {"57", "CO"},
    {"58", "VE"}, {"590", "GP"}, {"591", "BO"}, {"592", "GY"}, {"593", "EC"}, {"594", "GF"}, {"595", "PY"},
    {"596", "MQ"}, {"597", "SR"}, {"598", "UY"}, {"599", "CW"}, {"60", "MY"}, {"61", "AU"}, {"62", "ID"},
    {"63", "PH"}, {"64", "NZ"}, {"65", "SG"}, {"66", "TH"}, {"670", "TL"}, {"672", "AQ"}, {"673", "BN"},
    {"674", "NR"}, {"675", "PG"}, {"676", "TO"}, {"677", "SB"}, {"678", "VU"}, {"679", "FJ"}, {"680", "PW"},
    {"681", "WF"}, {"682", "CK"}, {"683", "NU"}, {"685", "WS"}, {"686", "KI"}, {"687", "NC"}, {"688", "TV"},
    {"689", "PF"}, {"690", "TK"}, {"691", "FM"}, {"692", "MH"}, {"7", "RU"}, {"800", ""}, {"808", ""},
    {"81", "JP"}, {"82", "KR"}, {"84", "VN"}, {"850", "KP"}, {"852", "HK"}, {"853", "MO"}, {"855", "KH"},
    {"856", "LA"}, {"86", "CN"}, {"870", ""}, {"878", ""}, {"880", "BD"}, {"881", ""}, {"882", ""},
    {"883", ""}, {"886", "TW"}, {"90", "TR"}, {"91", "IN"}, {"92", "PK"}, {"93", "AF"}, {"94", "LK"},
    {"95", "MM"}, {"960", "MV"}, {"961", "LB"}, {"962", "JO"}, {"963", "SY"}, {"964", "IQ"}, {"965", "KW"},
    {"966", "SA"}, {"967", "YE"}, {"968", "OM"}, {"970", "PS"}, {"971", "AE"}, {"972", "IL"}, {"973", "BH"},
    {"974", "QA"}, {"975", "BT"}, {"976", "MN"}, {"977", "NP"}, {"979", ""}, {"98", "IR"}, {"992", "TJ"},
    {"993", "TM"}, {"994", "AZ"}, {"995", "GE"}, {"996", "KG"}, {"998", "UZ"},
    // clang-format on
});

/// Prefixes of smaller countries within the calling code of a larger one. Sorted.
constexpr auto neighbours = std::to_array<Range>({
    // clang-format off
    {"1204", "CA"}, {"1226", "CA"}, {"1236", "CA"}, {"1242", "BS"}, {"1246", "BB"}, {"1249", "CA"},
    {"1250", "CA"}, {"1257", "CA"}, {"1263", "CA"}, {"1264", "AI"}, {"1268", "AG"}, {"1284", "VG"},
    {"1289", "CA"}, {"1306", "CA"}, {"1340", "VI"}, {"1343", "CA"}, {"1345", "KY"}, {"1354", "CA"},
    {"1365", "CA"}, {"1367", "CA"}, {"1368", "CA"}, {"1382", "CA"}, {"1387", "CA"}, {"1403", "CA"},
    {"1416", "CA"}, {"1418", "CA"}, {"1428", "CA"}, {"1431", "CA"}, {"1437", "CA"}, {"1438", "CA"},
    {"1441", "BM"}, {"1450", "CA"}, {"1460", "CA"}, {"1468", "CA"}, {"1473", "GD"}, {"1474", "CA"},
    {"1506", "CA"}, {"1514", "CA"}, {"1519", "CA"}, {"1537", "CA"}, {"1548", "CA"}, {"1568", "CA"},
    {"1579", "CA"}, {"1581", "CA"}, {"1584", "CA"}, {"1587", "CA"}, {"1604", "CA"}, {"1613", "CA"},
    {"1639", "CA"}, {"1647", "CA"}, {"1649", "TC"}, {"1658", "JM"}, {"1664", "MS"}, {"1670", "MP"},
    {"1671", "GU"}, {"1672", "CA"}, {"1683", "CA"}, {"1684", "AS"}, {"1705", "CA"}, {"1709", "CA"},
    {"1721", "SX"}, {"1742", "CA"}, {"1753", "CA"}, {"1758", "LC"}, {"1767", "DM"}, {"1778", "CA"},
    {"1780", "CA"}, {"1782", "CA"}, {"1784", "VC"}, {"1787", "PR"}, {"1807", "CA"}, {"1809", "DO"},
    {"1819", "CA"}, {"1825", "CA"}, {"1829", "DO"}, {"1849", "DO"}, {"1867", "CA"}, {"1868", "TT"},
    {"1869", "KN"}, {"1873", "CA"}, {"1876", "JM"}, {"1879", "CA"}, {"1902", "CA"}, {"1905", "CA"},
    {"1939", "PR"}, {"1942", "CA"}, {"2125288", "EH"}, {"2125289", "EH"}, {"262269", "YT"},
    {"262639", "YT"}, {"3906698", "VA"}, {"441481", "GG"}, {"441534", "JE"}, {"441624", "IM"},
    {"447524", "IM"}, {"447624", "IM"}, {"447781", "GG"}, {"447797", "JE"}, {"447839", "GG"},
    {"447924", "IM"}, {"447937", "JE"}, {"4779", "SJ"}, {"5993", "BQ"}, {"5994", "BQ"}, {"5997", "BQ"},
    {"6189162", "CC"}, {"6189164", "CX"}, {"6723", "NF"}, {"76", "KZ"}, {"77", "KZ"},
    // clang-format on
});

/// Prefixes of expensive numbers. First the networks without a country, then national ranges: premium
/// numbers, and shared-cost and personal numbers that cost as much.
constexpr auto premium = std::to_array<std::string_view>({
    // clang-format off
    "800", "808", "870", "878", "881", "882", "883", "979",
    "1900",                               // North America
    "30901", "30909",                     // Greece
    "31900", "31906", "31909",            // Netherlands
    "3290",                               // Belgium
    "3389",                               // France
    "34803", "34806", "34807", "34905",   // Spain
    "353152", "353153", "353155", "353156", "353157", "353158", "353159", // Ireland
    "358600", "358700",                   // Finland
    "3690",                               // Hungary
    "3989",                               // Italy
    "41900", "41901", "41906",            // Switzerland
    "420900", "420906", "420909",         // Czechia
    "421900",                             // Slovakia
    "43900", "43901", "43930", "43931",   // Austria
    "4470", "4487", "449",                // United Kingdom
    "4590",                               // Denmark
    "46900", "46939", "46944",            // Sweden
    "4782",                               // Norway
    "4870",                               // Poland
    "49137", "49900",                     // Germany
    "61190",                              // Australia
    "64900",                              // New Zealand
    "81990",                              // Japan
    "90900",                              // Turkey
    // clang-format on
});

constexpr std::size_t max_digits = 15;
/// The minimum length of a national number. The shortest are those of Niue and Saint Helena.
constexpr std::size_t min_national_digits = 4;

constexpr bool is_digit(char c) noexcept
{
    return c >= '0' && c <= '9';
}

Range const* find(std::span<Range const> ranges, std::string_view prefix) noexcept
{
    auto const it = std::ranges::lower_bound(ranges, prefix, {}, &Range::prefix);
    return it != ranges.end() && it->prefix == prefix ? &*it : nullptr;
}

static_assert(std::ranges::is_sorted(calling_codes, {}, &Range::prefix));
static_assert(std::ranges::is_sorted(neighbours, {}, &Range::prefix));

} // namespace

std::optional<PhoneNumber> PhoneNumber::parse(std::string_view text)
{
    if (!text.starts_with('+')) return std::nullopt;
    std::string_view const digits = text.substr(1);
    if (digits.size() > max_digits || !std::ranges::all_of(digits, is_digit)) return std::nullopt;
    for (std::size_t size = 1; size <= 3 && size + min_national_digits <= digits.size(); ++size) {
        auto const* const code = find(calling_codes, digits.substr(0, size));
        if (code == nullptr) continue; // no code is a prefix of another
        PhoneNumber number;
        number.text_ = text;
        number.calling_code_size_ = size;
        number.country_ = code->country;
        for (std::size_t longer = size + 1; longer <= digits.size(); ++longer)
            if (auto const* const part = find(neighbours, digits.substr(0, longer)))
                number.country_ = part->country;
        return number;
    }
    return std::nullopt;
}

std::string PhoneNumber::masked() const
{
    constexpr std::size_t shown = 2;
    std::string masked = text_;
    std::fill(
        masked.begin() + static_cast<std::ptrdiff_t>(1 + calling_code_size_), masked.end() - shown, '*');
    return masked;
}

bool is_country(std::string_view code) noexcept
{
    auto const is = [code](Range const& range) { return range.country == code; };
    return !code.empty() && (std::ranges::any_of(calling_codes, is) || std::ranges::any_of(neighbours, is));
}

bool is_among(PhoneNumber const& number, std::span<std::string const> countries) noexcept
{
    return countries.empty() || std::ranges::find(countries, number.country()) != countries.end();
}

bool is_premium(PhoneNumber const& number) noexcept
{
    auto const digits = std::string_view(number.text()).substr(1);
    return std::ranges::any_of(premium, [digits](std::string_view p) { return digits.starts_with(p); });
}

} // namespace sms
