#include "pg/param.hpp"

#include "core/hex.hpp"
#include "core/id.hpp"

#include <cstdio>
#include <cstdlib>

namespace pg {

static void append_element(std::string& array, std::string_view text)
{
    array += '"';
    for (char const c : text) {
        if (c == '"' || c == '\\') array += '\\';
        array += c;
    }
    array += '"';
}

/// PostgreSQL's ISO form, `2026-01-31 23:59:59.000001+00`. `Time::max()` and `Time::min()` become infinity
/// and -infinity.
static std::string to_timestamptz(core::Time time)
{
    if (time == core::Time::max()) return "infinity";
    if (time == core::Time::min()) return "-infinity";
    auto const day = std::chrono::floor<std::chrono::days>(time);
    std::chrono::year_month_day const date(day);
    std::chrono::hh_mm_ss const clock(time - day);
    // There is no year 0: the year before 1 AD is 1 BC.
    int const year = static_cast<int>(date.year());
    char text[64];
    int const size = std::snprintf(text, sizeof text, "%04d-%02u-%02u %02d:%02d:%02d.%06d+00%s",
        year > 0 ? year : 1 - year, static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
        static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
        static_cast<int>(clock.seconds().count()), static_cast<int>(clock.subseconds().count()),
        year > 0 ? "" : " BC");
    return std::string(text, static_cast<std::size_t>(size));
}

Param::Param(Param const&) = default;
Param::Param(Param&&) noexcept = default;
Param& Param::operator=(Param const&) = default;
Param& Param::operator=(Param&&) noexcept = default;
Param::~Param() = default;

Param::Param(std::string text) : text_(std::move(text)) {}

Param::Param(std::string_view text) : text_(text) {}

Param::Param(char const* text) : text_(text) {}

Param::Param(core::Uuid const& id) : text_(id.to_string()) {}

Param::Param(core::Time time) : text_(to_timestamptz(time)) {}

Param::Param(std::vector<std::string> const& texts)
{
    text_ += '{';
    for (std::string const& text : texts) {
        if (text_.size() > 1) text_ += ',';
        append_element(text_, text);
    }
    text_ += '}';
}

template <class Number> static std::string bigint_array(std::span<Number const> numbers)
{
    std::string array = "{";
    for (Number const number : numbers) {
        if (array.size() > 1) array += ',';
        array += std::to_string(static_cast<std::int64_t>(number));
    }
    return array + '}';
}

Param::Param(std::vector<std::int64_t> const& numbers) : text_(bigint_array(std::span(numbers))) {}

Param::Param(std::span<core::ScopeId const> ids) : text_(bigint_array(ids)) {}

Param::Param(std::span<core::TenantId const> ids) : text_(bigint_array(ids)) {}

std::string Param::decimal(std::int64_t number)
{
    return std::to_string(number);
}

std::string Param::decimal(std::uint64_t number)
{
    return std::to_string(number);
}

Param Param::array(std::span<Param const> elements)
{
    ArrayText array;
    for (Param const& element : elements)
        array.add(element);
    return std::move(array).param();
}

Param Param::bytes(std::string_view raw)
{
    return "\\x" + core::hex::encode(raw);
}

void ArrayText::add(Param const& element)
{
    if (text_.size() > 1) text_ += ',';
    if (element.is_null())
        text_ += "NULL";
    else
        append_element(text_, element.text());
}

Param ArrayText::param() &&
{
    text_ += '}';
    return std::move(text_);
}

} // namespace pg
