#pragma once

#include <compare>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace sms {

/// A telephone number in its international form (ITU-T E.164): `+`, a country calling code that ITU has
/// assigned (list of 2016 with its amendments), and the rest; at most 15 digits, the first not 0.
class PhoneNumber {
public:
    /// nullopt when `text` is not that form, to the letter: no spaces, dashes or brackets.
    static std::optional<PhoneNumber> parse(std::string_view text);

    std::string const& text() const noexcept { return text_; } ///< `+14155550100`

    /// `1`, `49`, `383`.
    std::string_view calling_code() const noexcept
    {
        return std::string_view(text_).substr(1, calling_code_size_);
    }

    /// The country or territory whose numbers begin like this (ISO 3166-1 alpha-2, and `XK`): `US`, `CA`,
    /// `DE`. Empty for the networks that belong to none (+800, +881, +979, ...).
    std::string_view country() const noexcept { return country_; }

    /// For people and logs: `+1********00`.
    std::string masked() const;

    friend bool operator==(PhoneNumber const& a, PhoneNumber const& b) noexcept { return a.text_ == b.text_; }

private:
    PhoneNumber() = default;

    std::string text_;
    std::size_t calling_code_size_ = 0;
    std::string_view country_; ///< static storage
};

/// Whether `code` is one that `PhoneNumber::country` can answer.
bool is_country(std::string_view code) noexcept;

/// Whether the number lies in one of `countries` (`DE`). An empty list leaves none out.
bool is_among(PhoneNumber const& number, std::span<std::string const> countries) noexcept;

/// Whether messages to it cost more than messages do, or reach no person: the international premium rate
/// service (+979), networks of no country, and the premium ranges of national numbering plans that messages
/// are pumped to. Nobody needs to sign in there.
bool is_premium(PhoneNumber const& number) noexcept;

} // namespace sms
