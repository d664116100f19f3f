#pragma once

#include <compare>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace sms {

/// A telephone number in international form (ITU-T E.164): `+`, an assigned country calling code, and the
/// national number of at least 4 digits. At most 15 digits, the first not 0. The number need not be assigned.
/// The calling codes and the ranges of numbers are those of libphonenumber (numbering.hpp).
class PhoneNumber {
public:
    /// Returns nullopt if `text` is not exactly of that form, for example if it contains spaces, dashes or
    /// brackets.
    static std::optional<PhoneNumber> parse(std::string_view text);

    std::string const& text() const noexcept { return text_; } ///< such as `+14155550100`

    /// The country or territory to which the number belongs: `US`, `CA`, `DE`. A code of ISO 3166-1 alpha-2,
    /// or `AC` (Ascension), `TA` (Tristan da Cunha) or `XK` (Kosovo). A territory whose numbers cannot be
    /// told from those of a larger country counts as that country: mobile numbers of Åland (`AX`) are `FI`.
    /// An unassigned number belongs to the main country of its calling code. Empty for networks without a
    /// country (+800, +881, +979, ...).
    std::string_view country() const noexcept { return country_; }

    /// The digits of the country calling code: `1`, `49`, `352`.
    std::string_view calling_code() const noexcept
    {
        return std::string_view(text_).substr(1, calling_code_size_);
    }

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

/// Whether the number belongs to a network without a country (+800, +881, +979, ...), or is a premium-rate
/// number, a shared-cost number or a personal number (such as +44 70) of its country. Messages to such
/// numbers cost more or reach no person, and the numbers are targets of SMS pumping fraud. Users do not need
/// such a number to sign in.
bool is_premium(PhoneNumber const& number) noexcept;

} // namespace sms
