#include "pages/list_query.hpp"

#include "core/text.hpp"
#include "http/query.hpp"

#include <array>

namespace feedback::pages {

namespace {

constexpr std::size_t max_search = 200; ///< code points

constexpr auto sort_names = std::to_array<std::string_view>({"votes", "createdAt"});

template <core::NamedEnum E> std::optional<E> read_choice(http::Query& query, std::string_view name)
{
    if (query.text(name, 0, 50).value_or("").empty()) return std::nullopt;
    return query.one_of<E>(name);
}

void append(std::string& out, std::string_view name, std::string_view value)
{
    out += out.empty() ? '?' : '&';
    out.append(name).append("=").append(core::percent_encode(value));
}

} // namespace

ListQuery ListQuery::read(http::Request const& req)
{
    http::Query query(req);
    ListQuery read;
    read.q = core::trim(query.text("q", 0, max_search).value_or(""));
    read.status = read_choice<Status>(query, "status");
    read.category = read_choice<Category>(query, "category");
    if (query.one_of("sort", sort_names).value_or(0) == 1) read.sort = Sort::created_at;
    read.cursor = query.text("cursor", 0, 200).value_or("");
    query.check();
    return read;
}

Filter ListQuery::filter() const
{
    Filter filter = Filter::of_board();
    filter.sort = sort;
    if (!q.empty()) filter.text = q;
    if (status) filter.statuses = {*status};
    if (category) filter.categories = {*category};
    return filter;
}

std::string ListQuery::address() const
{
    std::string query;
    if (!q.empty()) append(query, "q", q);
    if (status) append(query, "status", to_string(*status));
    if (category) append(query, "category", to_string(*category));
    if (sort != Sort::votes) append(query, "sort", to_string(sort));
    if (!cursor.empty()) append(query, "cursor", cursor);
    return "/board" + query;
}

std::string ListQuery::api_address() const
{
    std::string query;
    append(query, "sort", to_string(sort));
    if (!q.empty()) append(query, "q", q);
    if (status) append(query, "status", to_string(*status));
    if (category) append(query, "category", to_string(*category));
    if (!cursor.empty()) append(query, "cursor", cursor);
    return "/board/threads" + query;
}

} // namespace feedback::pages
