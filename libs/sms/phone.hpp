#pragma once

#include <compare>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace sms {

/// A telephone number in international form (ITU-T E.164): `+`, an assigned country calling code (ITU list of
/// 2016 with its amendments), and the national number. At most 15 digits, the first not 0.
class PhoneNumber {
public:
    /// Returns nullopt if `text` is not exactly of that form, for example if it contains spaces, dashes or
    /// brackets.
    static std::optional<PhoneNumber> parse(std::string_view text);

    std::string const& text() const noexcept { return text_; } ///< such as `+14155550100`

    /// The country or territory whose numbers have this prefix (ISO 3166-1 alpha-2, and `XK`): `US`, `CA`,
    /// `DE`. Empty for networks without a country (+800, +881, +979, ...).
    std::string_view country() const noexcept { return country_; }

    /// For display and logs: `+1********00`.
    std::string masked() const;

    friend bool operator==(PhoneNumber const& a, PhoneNumber const& b) noexcept { return a.text_ == b.text_; }

private:
    PhoneNumber() = default;

    std::string text_;
    std::size_t calling_code_size_ = 0;
    std::string_view country_; ///< in static storage
};

/// Whether `PhoneNumber::country` can return `code`.
bool is_country(std::string_view code) noexcept;

/// Whether the number belongs to one of `countries` (`DE`). An empty list allows all countries.
bool is_among(PhoneNumber const& number, std::span<std::string const> countries) noexcept;

/// Whether the number belongs to the international premium rate service (+979), to a network without a
/// country, or to a premium range of a national numbering plan. Messages to such numbers cost more or reach
/// no person, and the numbers are targets of SMS pumping fraud. Users do not need such a number to sign in.
bool is_premium(PhoneNumber const& number) noexcept;

} // namespace sms
