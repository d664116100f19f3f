#include "api/list_filter.hpp"

namespace feedback {

Filter read_filter(http::Query& query, core::Caller const& caller)
{
    Filter filter;
    filter.statuses = query.some_of<Status>("status");
    filter.categories = query.some_of<Category>("category");
    filter.priorities = query.some_of<Priority>("priority");
    filter.user_id = std::optional<core::UserId>(query.text("userId", 1, 255));
    filter.assignee_id = query.text("assigneeId", 1, 255);
    filter.assigned = query.optional_boolean("assigned");
    filter.tag = query.text("tag", 1, 50);
    filter.text = query.text("q", 1, 500);
    filter.created_after = query.time("createdAfter");
    filter.created_before = query.time("createdBefore");
    filter.include_deleted = query.boolean("includeDeleted", false);
    filter.sort = query.one_of<Sort>("sort").value_or(Sort::created_at);
    if (filter.sort == Sort::relevance && !filter.text)
        query.fault("sort", "invalid", "`relevance` needs the parameter `q`");
    if (caller.kind == core::Access::user) {
        filter.user_id.emplace(caller.id);
        filter.for_user = true;
    }
    return filter;
}

bool searches(http::Request const& req)
{
    // Most requests have no `q`. This check recognises such requests without decoding the query.
    if (req.query.find("q=") == std::string_view::npos && req.query.find('%') == std::string_view::npos)
        return false;
    return http::Query(req).text("q", 1, 500).has_value();
}

paging::Position position_of(Feedback const& f, Filter const& filter, Viewer const& viewer)
{
    return {filter.sort == Sort::created_at ? std::optional(f.created_at) : viewer.replies(f).last_at, f.id};
}

} // namespace feedback
