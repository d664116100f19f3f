#include "http/retry_after.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace http {

namespace {

using std::chrono::seconds;

constexpr seconds longest{std::chrono::days{1}};

/// Parses `text` as a non-negative number. Returns nullopt if a part of `text` is not a digit.
std::optional<unsigned> number(std::string_view text) noexcept
{
    unsigned value = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc::result_out_of_range && end == text.data() + text.size())
        return static_cast<unsigned>(longest.count());
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

std::optional<unsigned> month(std::string_view name) noexcept
{
    constexpr std::array<std::string_view, 12> names{
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    auto const it = std::ranges::find(names, name);
    if (it == names.end()) return std::nullopt;
    return static_cast<unsigned>(it - names.begin()) + 1;
}

} // namespace

std::optional<core::Time> parse_date(std::string_view text) noexcept
{
    constexpr std::string_view form = "___, __ ___ ____ __:__:__ GMT";
    bool const formed = std::ranges::equal(text, form, [](char c, char f) { return f == '_' || c == f; });
    if (!formed) return std::nullopt;
    auto const d = number(text.substr(5, 2)), y = number(text.substr(12, 4)), h = number(text.substr(17, 2)),
               m = number(text.substr(20, 2)), s = number(text.substr(23, 2)), mon = month(text.substr(8, 3));
    if (!d || !y || !h || !m || !s || !mon) return std::nullopt;
    std::chrono::year_month_day const date{
        std::chrono::year(static_cast<int>(*y)), std::chrono::month(*mon), std::chrono::day(*d)};
    if (!date.ok() || *h > 23 || *m > 59 || *s > 60) return std::nullopt;
    return std::chrono::sys_days(date) + std::chrono::hours(*h) + std::chrono::minutes(*m) + seconds(*s);
}

std::optional<seconds> parse_retry_after(std::string_view value, core::Time now) noexcept
{
    value = core::trim(value);
    if (auto const count = number(value)) return std::min(seconds(*count), longest);
    auto const date = parse_date(value);
    if (!date) return std::nullopt;
    return std::clamp(std::chrono::ceil<seconds>(*date - now), seconds(0), longest);
}

} // namespace http
