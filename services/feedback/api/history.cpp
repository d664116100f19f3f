#include "api/history.hpp"

#include "api/feedback_access.hpp"
#include "api/json.hpp"
#include "paging/cursor.hpp"
#include "pg/database.hpp"
#include "storage/status_changes.hpp"

namespace feedback {

asio::awaitable<http::Response> list_history(http::Request const& req, Deps& deps)
{
    auto const asked = paging::PageRequest::read(
        req, paging::FilterHash().add("list", "history").add("feedbackId", req.param("feedbackId")).value());
    auto rows = co_await deps.db.read(req.scope(), [&](pg::Tx& tx) {
        Feedback const f = get_readable(tx, req);
        return status_changes::list(tx, req.scope(), f.id, asked.after, asked.rows());
    });
    auto const position_of = [](StatusChange const& change) {
        return paging::Position{change.at, change.id};
    };
    co_return http::Response::ok(to_json(asked.page(std::move(rows), position_of), Viewer(req.caller())));
}

} // namespace feedback
