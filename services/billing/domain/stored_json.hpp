#pragma once

#include "core/clock.hpp"
#include "core/enum_names.hpp"
#include "core/json_writer.hpp"

#include <boost/json/value.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// Reads and writes members of the JSON that the service stores for itself. Times are microseconds since
/// 1970. Members without a value are left out. Reading throws if a stored value has another type.
namespace billing::stored_json {

inline std::int64_t count(core::Time time)
{
    return time.time_since_epoch().count();
}

inline core::Time time(boost::json::value const& value)
{
    return core::Time(core::Time::duration(value.to_number<std::int64_t>()));
}

inline std::string text(boost::json::value const& value)
{
    return std::string(value.as_string());
}

/// The member; null if it is absent or JSON null.
inline boost::json::value const* find(boost::json::value const& object, std::string_view name)
{
    auto const* value = object.as_object().if_contains(name);
    return value == nullptr || value->is_null() ? nullptr : value;
}

inline std::optional<core::Time> optional_time(boost::json::value const& object, std::string_view name)
{
    auto const* value = find(object, name);
    return value == nullptr ? std::nullopt : std::optional(time(*value));
}

inline std::optional<std::int64_t> optional_integer(boost::json::value const& object, std::string_view name)
{
    auto const* value = find(object, name);
    return value == nullptr ? std::nullopt : std::optional(value->to_number<std::int64_t>());
}

inline std::string text_or_empty(boost::json::value const& object, std::string_view name)
{
    auto const* value = find(object, name);
    return value == nullptr ? std::string() : text(*value);
}

inline bool is_true(boost::json::value const& object, std::string_view name)
{
    auto const* value = find(object, name);
    return value != nullptr && value->as_bool();
}

template <core::NamedEnum E> E named(boost::json::value const& value)
{
    return core::stored_enum<E>(std::string_view(value.as_string()));
}

inline void write(core::JsonWriter& w, std::string_view name, std::optional<core::Time> const& value)
{
    if (value) w.member(name, count(*value));
}

inline void write(core::JsonWriter& w, std::string_view name, std::optional<std::int64_t> const& value)
{
    if (value) w.member(name, *value);
}

/// Leaves an empty text out.
inline void write(core::JsonWriter& w, std::string_view name, std::string const& value)
{
    if (!value.empty()) w.member(name, value);
}

/// Leaves `false` out.
inline void write_flag(core::JsonWriter& w, std::string_view name, bool value)
{
    if (value) w.member(name, true);
}

} // namespace billing::stored_json
