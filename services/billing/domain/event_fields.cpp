#include "domain/event_fields.hpp"

#include <chrono>

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
