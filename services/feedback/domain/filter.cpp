#include "domain/filter.hpp"

#include "paging/cursor.hpp"

namespace feedback {

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
        .add("sort", to_string(sort))
        .add("status", name_of(status))
        .add("category", name_of(category))
        .add("priority", name_of(priority))
        .add("userId", user_id)
        .add("assigneeId", assignee_id)
        .add("tag", tag)
        .add("q", text)
        .add("createdAfter", text_of(created_after))
        .add("createdBefore", text_of(created_before))
        .add("includeDeleted", include_deleted ? "true" : "false")
        .value();
}

} // namespace feedback
