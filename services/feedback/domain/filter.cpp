#include "domain/filter.hpp"

#include "paging/cursor.hpp"

namespace feedback {

std::uint64_t Filter::hash() const
{
    return paging::FilterHash()
        .add("sort", to_string(sort))
        .add("status", status)
        .add("category", category)
        .add("priority", priority)
        .add("userId", user_id)
        .add("assigneeId", assignee_id)
        .add("tag", tag)
        .add("q", text)
        .add("createdAfter", created_after)
        .add("createdBefore", created_before)
        .add("includeDeleted", include_deleted ? "true" : "false")
        .value();
}

} // namespace feedback
