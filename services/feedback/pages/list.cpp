#include "pages/list.hpp"

#include "pages/board.hpp"
#include "pages/frame.hpp"
#include "pages/list_query.hpp"
#include "pages/post_values.hpp"
#include "pages/threads.hpp"
#include "pages/words.hpp"
#include "pg/database.hpp"

#include <array>

namespace feedback::pages {

extern std::string_view const list_html, roadmap_html; // files of pages/templates/

namespace {

constexpr std::size_t posts_on_page = 20, posts_in_column = 15;

Data choice(std::string const& label, std::string const& href, bool is_current)
{
    Data data;
    data.set("label", label);
    data.set("href", href);
    if (is_current) data.set("current", "true");
    return data;
}

Data filter_data(std::string const& label, Data const& choices)
{
    Data data;
    data.set("label", label);
    data.set("choices", choices);
    return data;
}

/// The links of one filter: all values, then each.
template <core::NamedEnum E> Data choices_of(ListQuery query, std::optional<E> ListQuery::* member)
{
    auto const current = query.*member;
    Data choices(Data::type::list);
    query.cursor.clear();
    query.*member = std::nullopt;
    choices << choice("All", query.address(), !current);
    for (std::size_t i = 0; i < core::names_of<E>.size(); ++i) {
        auto const value = static_cast<E>(i);
        query.*member = value;
        choices << choice(std::string(name_of(value)), query.address(), current == value);
    }
    return choices;
}

Data sorts_of(ListQuery query)
{
    auto const current = query.sort;
    Data choices(Data::type::list);
    query.cursor.clear();
    for (auto const& [sort, name] : {std::pair{Sort::votes, "Most votes"}, {Sort::created_at, "Newest"}}) {
        query.sort = sort;
        choices << choice(name, query.address(), current == sort);
    }
    return choices;
}

Data filters_of(ListQuery const& query)
{
    Data filters(Data::type::list);
    filters << filter_data("Sort by", sorts_of(query));
    filters << filter_data("Status", choices_of<Status>(query, &ListQuery::status));
    filters << filter_data("Category", choices_of<Category>(query, &ListQuery::category));
    return filters;
}

/// The hidden fields of the search form.
Data kept_fields(ListQuery const& query)
{
    Data fields(Data::type::list);
    auto const add = [&](std::string const& name, std::string_view value) {
        Data field;
        field.set("name", name);
        field.set("value", std::string(value));
        fields << field;
    };
    if (query.status) add("status", to_string(*query.status));
    if (query.category) add("category", to_string(*query.category));
    if (query.sort != Sort::votes) add("sort", to_string(query.sort));
    return fields;
}

Data posts_of(std::vector<Feedback> const& threads)
{
    Data posts(Data::type::list);
    for (auto const& thread : threads) {
        Data post;
        add_post(post, thread);
        posts << post;
    }
    return posts;
}

void add_posts(Data& data, std::vector<Feedback> const& threads, ListQuery const& query)
{
    if (threads.empty()) return;
    data.set("any", "true");
    data.set("posts", posts_of(threads));
    data.set("votes_path", query.api_address());
}

std::string heading_of(ListQuery const& query)
{
    std::string heading = query.q.empty() ? "Posts" : "Search";
    if (query.status) heading.append(": ").append(name_of(*query.status));
    if (query.category) heading.append(query.status ? ", " : ": ").append(name_of(*query.category));
    return heading;
}

void add_pages(Data& data, ListQuery query, std::optional<std::string> const& next)
{
    if (query.cursor.empty() && !next) return;
    data.set("pages", "true");
    auto first = query;
    first.cursor.clear();
    if (!query.cursor.empty()) data.set("first", first.address());
    if (!next) return;
    query.cursor = *next;
    data.set("next", query.address());
}

std::string list_page(Frame const& frame, ListQuery const& query, threads::Page const& page)
{
    auto data = data_of(
        frame, {.title = heading_of(query),
                   .path = query.address(),
                   .description = "Ideas and feedback for " + frame.brand.name + ": read, vote and post.",
                   .listed = query.is_plain() && query.sort == Sort::votes});
    data.set("on_list", "true");
    data.set("heading", query.is_plain() ? "Feedback for " + frame.brand.name : heading_of(query));
    data.set("q", query.q);
    data.set("kept", kept_fields(query));
    data.set("filters", filters_of(query));
    if (!query.q.empty()) {
        auto without = query;
        without.q.clear();
        without.cursor.clear();
        data.set("searched", "true");
        data.set("without_q", without.address());
    }
    add_posts(data, page.items, query);
    data.set("nothing", query.is_plain() ? "There are no posts yet. Be the first."
                                         : "No post matches. Change the search or the filters, or post it.");
    add_pages(data, query, page.cursor);
    return view_of<list_html>().render(data);
}

ListQuery column_query(Status status)
{
    ListQuery query;
    query.status = status;
    return query;
}

std::string roadmap_page(Frame const& frame, std::vector<threads::Page> const& columns)
{
    auto data =
        data_of(frame, {.title = "Roadmap",
                           .path = "/board/roadmap",
                           .description = "What is open, in progress and done at " + frame.brand.name + "."});
    data.set("on_roadmap", "true");
    Data list(Data::type::list);
    for (std::size_t i = 0; i < columns.size(); ++i) {
        auto const status = static_cast<Status>(i);
        auto const query = column_query(status);
        Data column;
        column.set("status_class", std::string(to_string(status)));
        column.set("label", std::string(name_of(status)));
        add_posts(column, columns[i].items, query);
        if (columns[i].cursor) column.set("more", query.address());
        list << column;
    }
    data.set("columns", list);
    return view_of<roadmap_html>().render(data);
}

} // namespace

asio::awaitable<http::Response> get_list(http::Request const& req, Deps& deps)
{
    auto const frame = co_await frame_of(req, deps);
    auto const query = ListQuery::read(req);
    auto const render = [&]() -> asio::awaitable<http::Response> {
        auto const page = co_await deps.db.read(req.scope(), [&](pg::Tx& tx) {
            return threads::list(tx, req.scope(), query.filter(), query.cursor, posts_on_page);
        });
        co_return page_response(frame, list_page(frame, query, page));
    };
    co_return co_await deps.board.cache.serve(req, key_of(frame, query.address()), render);
}

asio::awaitable<http::Response> get_roadmap(http::Request const& req, Deps& deps)
{
    auto const frame = co_await frame_of(req, deps);
    auto const render = [&]() -> asio::awaitable<http::Response> {
        auto const columns = co_await deps.db.read(req.scope(), [&](pg::Tx& tx) {
            std::vector<threads::Page> all;
            all.reserve(core::names_of<Status>.size());
            for (std::size_t i = 0; i < core::names_of<Status>.size(); ++i)
                all.push_back(threads::list(
                    tx, req.scope(), column_query(static_cast<Status>(i)).filter(), {}, posts_in_column));
            return all;
        });
        co_return page_response(frame, roadmap_page(frame, columns));
    };
    co_return co_await deps.board.cache.serve(req, key_of(frame, "/board/roadmap"), render);
}

} // namespace feedback::pages
