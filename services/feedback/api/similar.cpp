#include "api/similar.hpp"

#include "api/settings_of.hpp"
#include "core/json_writer.hpp"
#include "domain/similar.hpp"
#include "http/query.hpp"
#include "pg/database.hpp"
#include "storage/similar.hpp"

namespace feedback {

namespace {

constexpr std::size_t max_similar = 10;

/// Staff may get all threads. Users may get their own threads and, while the board is on, public threads.
asio::awaitable<similar::Reach> reach_of(http::Request const& req, Deps& deps)
{
    similar::Reach reach;
    if (req.caller().is_staff()) co_return reach;
    reach.user_id.emplace(req.caller().id);
    reach.board = (co_await settings_of(req, deps)).public_board;
    co_return reach;
}

std::string to_json(std::vector<Similar> const& threads)
{
    core::JsonWriter w(2048);
    w.begin_object().key("items").begin_array();
    for (auto const& thread : threads)
        w.begin_object()
            .member("feedbackId", thread.id.to_string())
            .member("title", thread.title)
            .member("status", to_string(thread.status))
            .member("voteCount", thread.vote_count)
            .member("score", thread.score)
            .end_object();
    w.end_array().key("cursor").null().end_object();
    return std::move(w).str();
}

} // namespace

asio::awaitable<http::Response> list_similar(http::Request const& req, Deps& deps)
{
    http::Query query(req);
    std::string const title = query.required_text("title", 1, 200);
    query.check();
    auto const reach = co_await reach_of(req, deps);
    auto const threads = co_await deps.db.read(req.scope(), [&](pg::Tx& tx) {
        return most_similar(similar::candidates(tx, req.scope(), title, reach), title, max_similar);
    });
    co_return http::Response::ok(to_json(threads));
}

} // namespace feedback
