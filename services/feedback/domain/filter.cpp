#include "domain/filter.hpp"

#include "paging/cursor.hpp"

namespace feedback {

namespace {

template <core::NamedEnum E> std::optional<std::string> join(std::vector<E> const& values)
{
    if (values.empty()) return std::nullopt;
    std::string joined;
    for (auto const value : values)
        joined.append(to_string(value)).append(",");
    return joined;
}

} // namespace

std::uint64_t Filter::hash() const
{
    return paging::FilterHash()
        .add("sort", to_string(sort))
        .add("status", join(statuses))
        .add("category", join(categories))
        .add("priority", join(priorities))
        .add("userId", user_id)
        .add("assigneeId", assignee_id)
        .add("assigned",
            assigned ? std::optional<std::string_view>(*assigned ? "true" : "false") : std::nullopt)
        .add("tag", tag)
        .add("q", text)
        .add("createdAfter", created_after)
        .add("createdBefore", created_before)
        .add("includeDeleted", include_deleted ? "true" : "false")
        .add("board", board ? "true" : "false")
        .value();
}

} // namespace feedback
