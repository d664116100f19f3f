#include "storage/list_conditions.hpp"

#include "domain/search_text.hpp"
#include "pg/uuids.hpp"

namespace feedback::feedbacks {

namespace {

/// ` AND column = …` for one value, ` AND column = ANY (…)` for several, nothing for none. With one
/// value, the planner can use an index in the order of the list.
template <core::NamedEnum E>
std::string one_of(std::string_view column, std::vector<E> const& values, pg::ParamList& params)
{
    if (values.empty()) return {};
    std::string sql(" AND f.");
    sql += column;
    if (values.size() == 1) return sql + " = " + params.add(to_string(values.front()));
    std::vector<std::string> names;
    names.reserve(values.size());
    for (auto const value : values)
        names.emplace_back(to_string(value));
    return sql + " = ANY (" + params.add(names) + "::text[])";
}

} // namespace

std::string_view sort_key(Filter const& filter)
{
    if (filter.sort != Sort::last_reply_at) return "f.created_at";
    return filter.for_user ? "coalesce(f.public_last_reply_at, '-infinity')"
                           : "coalesce(f.last_reply_at, '-infinity')";
}

std::string conditions(Filter const& filter, Restriction const& restriction, pg::ParamList& params)
{
    std::string sql = one_of("status", filter.statuses, params);
    sql += one_of("category", filter.categories, params);
    sql += one_of("priority", filter.priorities, params);
    if (filter.user_id) sql += " AND f.user_id = " + params.add(*filter.user_id);
    if (filter.assignee_id) sql += " AND f.assignee_id = " + params.add(*filter.assignee_id);
    if (filter.assigned)
        sql += *filter.assigned ? " AND f.assignee_id IS NOT NULL" : " AND f.assignee_id IS NULL";
    if (filter.tag) sql += " AND f.tags @> " + params.add(std::vector{*filter.tag});
    if (filter.created_after)
        sql += " AND f.created_at >= " + params.add(core::next_millisecond(*filter.created_after));
    if (filter.created_before) sql += " AND f.created_at < " + params.add(*filter.created_before);
    if (!filter.include_deleted) sql += " AND f.deleted_at IS NULL";
    if (filter.board) sql += " AND f.visibility = 'public' AND f.merged_into IS NULL";
    if (restriction.among)
        sql += " AND f.feedback_id = ANY (" + params.add(pg::uuids(*restriction.among)) + "::uuid[])";
    return sql;
}

std::string text_condition(core::ScopeId scope, Filter const& filter, pg::ParamList& params)
{
    if (!filter.text) return {};
    auto const query = search_text::parse_query(*filter.text);
    if (query.empty()) return " AND false";
    std::string found;
    for (auto const& term : query.required) {
        if (!found.empty()) found += " AND ";
        found += "bool_or(d.terms @@ " + params.add(search_text::tsquery(scope, term)) + "::tsquery)";
    }
    if (!query.excluded.empty()) {
        if (!found.empty()) found += " AND ";
        auto const any = search_text::tsquery_of_any(scope, query.excluded);
        found += "NOT coalesce(bool_or(d.terms @@ " + params.add(any) + "::tsquery), false)";
    }
    std::string sql(" AND (SELECT ");
    sql += found;
    sql += " FROM (SELECT s.terms FROM search_documents s WHERE s.scope_id = f.scope_id";
    sql += " AND s.feedback_id = f.feedback_id";
    if (filter.for_user) sql += " AND NOT s.internal";
    return sql + " ORDER BY s.document_id LIMIT " + std::to_string(max_documents) + ") AS d)";
}

} // namespace feedback::feedbacks
