#include "api/export.hpp"

#include "api/json.hpp"
#include "api/list_filter.hpp"
#include "pg/database.hpp"
#include "storage/feedbacks.hpp"

namespace feedback {

namespace {

constexpr std::size_t export_page = 50; ///< threads that are read at once

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
