#include "api/search.hpp"

#include "api/json.hpp"
#include "api/list_filter.hpp"
#include "api/vote_page.hpp"
#include "domain/search_text.hpp"
#include "paging/cursor.hpp"
#include "pg/database.hpp"
#include "storage/feedback_lists.hpp"
#include "storage/thread_search.hpp"

#include <algorithm>

namespace feedback {

namespace {

/// The maximum number of highlights of a thread.
constexpr std::size_t max_highlights = 20;

using search_text::Highlight;

struct Highlights {
    std::vector<Highlight> title, body;
};

Highlights highlights_of(Feedback const& f, search_text::Query const& query)
{
    Highlights found;
    found.title = search_text::highlights(query, f.title, max_highlights);
    found.body = search_text::highlights(query, f.body, max_highlights - found.title.size());
    return found;
}

void write_highlights(core::JsonWriter& w, std::string_view field, std::vector<Highlight> const& found)
{
    for (auto const& highlight : found)
        w.begin_object()
            .member("field", field)
            .member("start", static_cast<std::int64_t>(highlight.start))
            .member("length", static_cast<std::int64_t>(highlight.length))
            .end_object();
}

/// The body of the response. Call it on a database thread, because reading the words of long texts takes
/// time.
std::string to_json(paging::Page<Feedback> const& page, Filter const& filter, Viewer const& viewer)
{
    auto const query = search_text::parse_query(*filter.text);
    auto const write_one = [&](core::JsonWriter& w, Feedback const& f) {
        auto const found = highlights_of(f, query);
        w.begin_object();
        write_members(w, f, viewer);
        w.key("highlights").begin_array();
        write_highlights(w, "title", found.title);
        write_highlights(w, "body", found.body);
        w.end_array().end_object();
    };
    return paging::to_json(page, write_one, 1024);
}

/// The page of a list in the order of the relevance.
paging::Page<Feedback> by_rank(
    pg::Tx& tx, core::Scope const& scope, Filter const& filter, paging::PageRequest const& asked)
{
    auto found = asked.page(thread_search::list_by_rank(tx, scope, filter, asked.after, asked.rows()),
        [](thread_search::ByRank const& item) { return item.position; });
    paging::Page<Feedback> page;
    page.cursor = std::move(found.cursor);
    page.items.reserve(found.items.size());
    for (auto& item : found.items)
        page.items.push_back(std::move(item.thread));
    return page;
}

} // namespace

asio::awaitable<http::Response> list_found(
    http::Request const& req, Deps& deps, Filter const& filter, http::Query& query)
{
    Viewer const viewer(req.caller());
    if (filter.sort == Sort::votes) {
        auto const asked = VotePage::read(query, filter.hash());
        query.check();
        co_return http::Response::ok(co_await deps.db.read(req.scope(), [&](pg::Tx& tx) {
            auto rows = feedbacks::list_by_votes(tx, req.scope(), filter, asked.after, asked.rows());
            return to_json(asked.page(std::move(rows)), filter, viewer);
        }));
    }
    auto const asked = paging::PageRequest::read(query, filter.hash());
    query.check();
    co_return http::Response::ok(co_await deps.db.read(req.scope(), [&](pg::Tx& tx) {
        if (filter.sort == Sort::relevance)
            return to_json(by_rank(tx, req.scope(), filter, asked), filter, viewer);
        auto rows = feedbacks::list(tx, req.scope(), filter, asked.after, asked.rows());
        auto const position = [&](Feedback const& f) { return position_of(f, filter, viewer); };
        return to_json(asked.page(std::move(rows), position), filter, viewer);
    }));
}

} // namespace feedback
