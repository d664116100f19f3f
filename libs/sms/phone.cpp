#include "sms/phone.hpp"

#include "sms/numbering.hpp"

#include <algorithm>

namespace sms {

namespace {

constexpr std::size_t max_digits = 15;
/// The minimum length of a national number. The shortest are those of Niue and Saint Helena.
constexpr std::size_t min_national_digits = 4;

constexpr bool is_digit(char c) noexcept
{
    return c >= '0' && c <= '9';
}

/// The range of the number `digits` with the longest prefix, or null.
template <class Range> Range const* find(std::span<Range const> ranges, std::string_view digits) noexcept
{
    for (std::size_t size = digits.size(); size > 0; --size) {
        auto const prefix = digits.substr(0, size);
        auto const it = std::ranges::lower_bound(ranges, prefix, {}, &Range::prefix);
        if (it != ranges.end() && it->prefix == prefix && it->shortest <= digits.size() &&
            digits.size() <= it->longest)
            return &*it;
    }
    return nullptr;
}

} // namespace

std::optional<PhoneNumber> PhoneNumber::parse(std::string_view text)
{
    if (!text.starts_with('+')) return std::nullopt;
    std::string_view const digits = text.substr(1);
    if (digits.size() > max_digits || !std::ranges::all_of(digits, is_digit)) return std::nullopt;
    auto const* const code = find(numbering::calling_codes, digits);
    if (code == nullptr || digits.size() < code->prefix.size() + min_national_digits) return std::nullopt;
    auto const* const shared = find(numbering::shared_codes, digits);
    PhoneNumber number;
    number.text_ = text;
    number.calling_code_size_ = code->prefix.size();
    number.country_ = shared != nullptr ? shared->country : code->country;
    return number;
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
    auto const is = [code](numbering::CountryRange const& range) { return range.country == code; };
    return !code.empty() && (std::ranges::any_of(numbering::calling_codes, is) ||
                                std::ranges::any_of(numbering::shared_codes, is));
}

bool is_among(PhoneNumber const& number, std::span<std::string const> countries) noexcept
{
    return countries.empty() || std::ranges::find(countries, number.country()) != countries.end();
}

bool is_premium(PhoneNumber const& number) noexcept
{
    auto const digits = std::string_view(number.text()).substr(1);
    return number.country().empty() || find(numbering::premium, digits) != nullptr;
}

} // namespace sms
