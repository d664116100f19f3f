#include "api/board.hpp"

#include "api/settings_of.hpp"
#include "core/error.hpp"
#include "core/json_writer.hpp"
#include "pg/database.hpp"
#include "storage/feedback_lists.hpp"
#include "storage/feedbacks.hpp"
#include "storage/replies.hpp"
#include "storage/votes.hpp"

#include <algorithm>
#include <array>

namespace feedback {

namespace board {

namespace {

/// A page ends when its texts have more bytes, so that readers without a credential cannot hold large
/// responses.
constexpr std::size_t max_text = std::size_t{512} * 1024;

/// The number of rows on the page: at most `limit`.
template <class Row, class BodyOf>
std::size_t fitting(std::vector<Row> const& rows, std::size_t limit, BodyOf const& body_of)
{
    std::size_t count = 0;
    for (std::size_t bytes = 0; count < std::min(rows.size(), limit) && bytes <= max_text; ++count)
        bytes += body_of(rows[count]).size();
    return count;
}

} // namespace

asio::awaitable<void> require_on(http::Request const& req, Deps& deps)
{
    auto const settings = co_await settings_of(req, deps);
    if (!settings.public_board)
        throw core::Error(core::codes::not_found, "This tenant has no public board in this environment.");
}

Filter read_filter(http::Query& query)
{
    static constexpr std::array<std::string_view, 2> sorts{"votes", "createdAt"};
    Filter filter = Filter::of_board();
    filter.statuses = query.some_of<Status>("status");
    filter.categories = query.some_of<Category>("category");
    filter.text = query.text("q", 1, 500);
    filter.sort = query.one_of("sort", sorts).value_or(0) == 0 ? Sort::votes : Sort::created_at;
    return filter;
}

asio::awaitable<paging::Page<Feedback>> list(http::Request const& req, Deps& deps, http::Query& query)
{
    auto const filter = read_filter(query);
    if (filter.sort == Sort::votes) {
        auto asked = VotePage::read(query, filter.hash());
        query.check();
        auto rows = co_await deps.db.read(req.scope(), [&](pg::Tx& tx) {
            return feedbacks::list_by_votes(tx, req.scope(), filter, asked.after, asked.rows());
        });
        asked.limit =
            fitting(rows, asked.limit, [](ByVotes const& r) -> std::string const& { return r.thread.body; });
        co_return asked.page(std::move(rows));
    }
    auto asked = paging::PageRequest::read(query, filter.hash());
    query.check();
    auto rows = co_await deps.db.read(req.scope(),
        [&](pg::Tx& tx) { return feedbacks::list(tx, req.scope(), filter, asked.after, asked.rows()); });
    asked.limit = fitting(rows, asked.limit, [](Feedback const& f) -> std::string const& { return f.body; });
    co_return asked.page(std::move(rows));
}

asio::awaitable<Thread> get(http::Request const& req, Deps& deps)
{
    auto const id = req.uuid_param("feedbackId");
    auto asked = paging::PageRequest::read(
        req, paging::FilterHash().add("list", "board replies").add("feedbackId", id.to_string()).value());
    co_return co_await deps.db.read(req.scope(), [&](pg::Tx& tx) {
        auto found = feedbacks::get(tx, req.scope(), id);
        if (!found || !found->on_board())
            throw core::Error(core::codes::not_found,
                "The board shows no feedback thread with this id. Check the id and the host.");
        auto rows = replies::list(tx, req.scope(), id, false, asked.after, asked.rows());
        asked.limit = fitting(rows, asked.limit, [](Reply const& r) -> std::string const& { return r.body; });
        return Thread{*std::move(found), asked.page(std::move(rows))};
    });
}

} // namespace board

namespace {

/// The threads among `threads` that the caller has voted for. Nullopt for an anonymous caller.
asio::awaitable<std::optional<std::set<core::Uuid>>> voted_of(
    http::Request const& req, Deps& deps, std::span<Feedback const> threads)
{
    if (!req.caller().is_jwt()) co_return std::nullopt;
    std::vector<core::Uuid> ids;
    ids.reserve(threads.size());
    for (auto const& f : threads)
        ids.push_back(f.id);
    co_return co_await deps.db.read(req.scope(),
        [&](pg::Tx& tx) { return votes::voted(tx, req.scope(), core::UserId(req.caller().id), ids); });
}

void write_members(core::JsonWriter& w, Feedback const& f, std::optional<std::set<core::Uuid>> const& voted)
{
    w.member("feedbackId", f.id.to_string())
        .member("title", f.title)
        .member("body", f.body)
        .member("status", to_string(f.status))
        .member("category", to_string(f.category))
        .member("tags", f.tags)
        .member("voteCount", f.vote_count)
        .member("replyCount", f.public_replies.count)
        .member("createdAt", f.created_at);
    if (voted) w.member("voted", voted->contains(f.id));
}

} // namespace

asio::awaitable<http::Response> list_board_threads(http::Request const& req, Deps& deps)
{
    co_await board::require_on(req, deps);
    http::Query query(req);
    auto const page = co_await board::list(req, deps, query);
    auto const voted = co_await voted_of(req, deps, page.items);
    auto const write = [&voted](core::JsonWriter& w, Feedback const& f) {
        w.begin_object();
        write_members(w, f, voted);
        w.end_object();
    };
    co_return http::Response::ok(paging::to_json(page, write, 1024));
}

asio::awaitable<http::Response> get_board_thread(http::Request const& req, Deps& deps)
{
    co_await board::require_on(req, deps);
    auto const thread = co_await board::get(req, deps);
    auto const voted = co_await voted_of(req, deps, {&thread.feedback, 1});
    core::JsonWriter w(4096);
    w.begin_object();
    write_members(w, thread.feedback, voted);
    w.key("replies").begin_array();
    for (auto const& reply : thread.replies.items)
        w.begin_object()
            .member("body", reply.body)
            .member("authorRole", reply.author_role)
            .member("createdAt", reply.created_at)
            .end_object();
    w.end_array().member("cursor", thread.replies.cursor).end_object();
    co_return http::Response::ok(std::move(w).str());
}

} // namespace feedback
