#include "domain/filter.hpp"

#include "paging/cursor.hpp"

namespace notify {

namespace {

template <class Enum> std::optional<std::string_view> name_of(std::optional<Enum> const& value)
{
    return value ? std::optional(to_string(*value)) : std::nullopt;
}

std::optional<std::string> text_of(std::optional<core::Time> const& time)
{
    return time ? std::optional(std::to_string(time->time_since_epoch().count())) : std::nullopt;
}

} // namespace

std::uint64_t Filter::hash() const
{
    return paging::FilterHash()
        .add("list", "notifications")
        .add("status", name_of(status))
        .add("channel", name_of(channel))
        .add("to", to)
        .add("createdAfter", text_of(created_after))
        .value();
}

} // namespace notify
