#include "domain/event_fields.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace billing::event_fields {

namespace {

constexpr std::int64_t last_second =
    std::chrono::duration_cast<std::chrono::seconds>(core::max_time.time_since_epoch()).count();
constexpr std::int64_t last_millisecond = last_second * 1000;

} // namespace

std::optional<std::string> text_if_any(boost::json::value const& object, std::string_view name)
{
    auto const* members = object.if_object();
    auto const* value = members == nullptr ? nullptr : members->if_contains(name);
    auto const* text = value == nullptr ? nullptr : value->if_string();
    if (text == nullptr || text->empty() || text->find('\0') != boost::json::string::npos)
        return std::nullopt;
    if (core::count_code_points(std::string_view(*text)) > max_id) return std::nullopt;
    return std::string(*text);
}

std::optional<double> number_if_any(boost::json::value const& object, std::string_view name)
{
    auto const* members = object.if_object();
    auto const* value = members == nullptr ? nullptr : members->if_contains(name);
    if (value == nullptr || !value->is_number()) return std::nullopt;
    return value->to_number<double>();
}

std::optional<std::int64_t> count_if_any(boost::json::value const& object, std::string_view name)
{
    auto const number = number_if_any(object, name);
    if (!number || *number < 1 || *number > static_cast<double>(max_count)) return std::nullopt;
    return static_cast<std::int64_t>(*number);
}

std::optional<core::Time> milliseconds_if_any(boost::json::value const& object, std::string_view name)
{
    auto const number = number_if_any(object, name);
    if (!number || *number < 0 || *number > static_cast<double>(last_millisecond)) return std::nullopt;
    return core::Time(std::chrono::milliseconds(static_cast<std::int64_t>(*number)));
}

std::optional<Price> price(double amount, std::string_view currency)
{
    double const minor = std::round(amount * minor_units(currency));
    if (!(std::abs(minor) <= max_amount)) return std::nullopt; // also refuses NaN
    return price_in_minor_units(static_cast<std::int64_t>(minor), currency);
}

std::optional<Price> price_in_minor_units(std::int64_t amount, std::string_view currency)
{
    bool const is_code = currency.size() == 3 && std::ranges::all_of(currency, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    });
    if (!is_code || std::abs(static_cast<double>(amount)) > max_amount) return std::nullopt;
    return Price{amount, core::upper(currency)};
}

std::string id_or_empty(core::Fields& f, std::string_view name)
{
    return f.optional_text(name, 0, max_id).value_or("");
}

core::Time milliseconds(core::Fields& f, std::string_view name)
{
    return core::Time(std::chrono::milliseconds(f.integer(name, 0, last_millisecond)));
}

std::optional<core::Time> optional_milliseconds(core::Fields& f, std::string_view name)
{
    auto const count = f.optional_integer(name, 0, last_millisecond);
    return count ? std::optional(core::Time(std::chrono::milliseconds(*count))) : std::nullopt;
}

core::Time seconds(core::Fields& f, std::string_view name)
{
    return core::Time(std::chrono::seconds(f.integer(name, 0, last_second)));
}

std::optional<core::Time> optional_seconds(core::Fields& f, std::string_view name)
{
    auto const count = f.optional_integer(name, 0, last_second);
    return count ? std::optional(core::Time(std::chrono::seconds(*count))) : std::nullopt;
}

} // namespace billing::event_fields
