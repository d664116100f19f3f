#include "api/reports.hpp"

#include "api/json.hpp"
#include "api/query.hpp"

namespace feedback {

namespace {

constexpr std::size_t export_page = 50; ///< threads that are read at once

void write_group(core::JsonWriter& w, std::vector<feedbacks::Tally> const& tallies, std::string_view group,
    std::span<std::string_view const> values)
{
    w.begin_object();
    for (auto const value : values) {
        auto const it = std::ranges::find_if(
            tallies, [&](feedbacks::Tally const& t) { return t.group == group && t.value == value; });
        w.member(value.empty() ? "none" : value, it == tallies.end() ? std::int64_t{0} : it->count);
    }
    w.end_object();
}

/// Produces an export page by page. The object outlives the request, so it contains copies of the request's
/// data.
class Export {
public:
    Export(pg::Database& db, core::Scope scope, core::Caller caller, Filter filter)
        : db_(db), scope_(std::move(scope)), caller_(std::move(caller)), filter_(std::move(filter))
    {
    }

    asio::awaitable<std::string> next()
    {
        if (done_) co_return std::string();
        auto const items = co_await db_.read(
            scope_, [this](pg::Tx& tx) { return feedbacks::list(tx, scope_, filter_, after_, export_page); });
        done_ = items.size() < export_page;
        Viewer const viewer(caller_);
        std::string lines;
        for (auto const& item : items) {
            lines += to_json(item, viewer);
            lines += '\n';
        }
        if (!items.empty()) after_ = position_of(items.back(), filter_, viewer);
        co_return lines;
    }

private:
    pg::Database& db_;
    core::Scope scope_;
    core::Caller caller_;
    Filter filter_;
    std::optional<paging::Position> after_;
    bool done_ = false;
};

} // namespace

asio::awaitable<http::Response> get_stats(http::Request const& req, Deps& deps)
{
    static constexpr std::array<std::string_view, 5> priorities_and_none{
        "low", "medium", "high", "critical", ""};
    auto const tallies =
        co_await deps.db.read(req.scope(), [&](pg::Tx& tx) { return feedbacks::stats(tx, req.scope()); });
    auto const all = std::ranges::find(tallies, "total", &feedbacks::Tally::group);
    core::JsonWriter w;
    w.begin_object().member("total", all == tallies.end() ? std::int64_t{0} : all->count).key("byStatus");
    write_group(w, tallies, "status", statuses);
    w.key("byCategory");
    write_group(w, tallies, "category", categories);
    w.key("byPriority");
    write_group(w, tallies, "priority", priorities_and_none);
    w.end_object();
    co_return http::Response::ok(std::move(w).str());
}

asio::awaitable<http::Response> export_feedbacks(http::Request const& req, Deps& deps)
{
    http::Query query(req);
    Filter filter = read_filter(query, req.caller());
    query.check();
    auto source = std::make_shared<Export>(deps.db, req.scope(), req.caller(), std::move(filter));
    http::Response response{.content_type = "application/x-ndjson"};
    response.stream = [source] { return source->next(); };
    response.headers.emplace_back("Content-Disposition", "attachment; filename=\"feedback.ndjson\"");
    co_return response;
}

} // namespace feedback
