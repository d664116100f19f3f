#include "api/votes.hpp"

#include "api/feedback_access.hpp"
#include "api/settings_of.hpp"
#include "core/error.hpp"
#include "core/json_writer.hpp"
#include "paging/cursor.hpp"
#include "pg/database.hpp"
#include "storage/feedbacks.hpp"
#include "storage/votes.hpp"
#include "user_data/user_handlers.hpp"

namespace feedback {

namespace {

/// Whether a vote is added or withdrawn.
enum class Change : bool { add, remove };

http::Response respond(Feedback const& f, Change change)
{
    core::JsonWriter w;
    w.begin_object().member("voteCount", f.vote_count).member("voted", change == Change::add).end_object();
    return http::Response::ok(std::move(w).str());
}

/// Changes the vote of `voter` for the thread in the path. `may_vote(thread)`: whether the caller may.
template <class MayVote>
http::Response change_vote(pg::Tx& tx, http::Request const& req, votes::Follower const& voter, Change change,
    MayVote const& may_vote)
{
    auto const id = req.uuid_param("feedbackId");
    auto found = feedbacks::lock(tx, req.scope(), id);
    if (!found || !may_vote(*found)) feedback_not_found();
    require_changeable(*found);
    if (change == Change::add)
        votes::add(tx, req.scope(), *found, voter);
    else
        votes::remove(tx, req.scope(), *found, voter.user_id);
    return respond(*found, change);
}

asio::awaitable<http::Response> change_own_vote(http::Request const& req, Deps& deps, Change change)
{
    auto const settings = co_await settings_of(req, deps);
    votes::Follower voter{core::UserId(req.caller().id), {}, false};
    if (!req.caller().email.empty()) {
        voter.email = req.caller().email;
        voter.email_verified = req.caller().email_verified.value_or(false);
    }
    co_return co_await deps.db.transact(req.scope(), [&](pg::Tx& tx) {
        return change_vote(tx, req, voter, change, [&](Feedback const& f) {
            return f.user_id == voter.user_id || (settings.public_board && f.on_board());
        });
    });
}

asio::awaitable<http::Response> change_vote_of_user(http::Request const& req, Deps& deps, Change change)
{
    auto const user_id = user_data::user_id_param(req);
    co_return co_await deps.db.transact(req.scope(), [&](pg::Tx& tx) {
        return change_vote(tx, req, {user_id, {}, false}, change, [](Feedback const&) { return true; });
    });
}

} // namespace

asio::awaitable<http::Response> vote(http::Request const& req, Deps& deps)
{
    return change_own_vote(req, deps, Change::add);
}

asio::awaitable<http::Response> withdraw_vote(http::Request const& req, Deps& deps)
{
    return change_own_vote(req, deps, Change::remove);
}

asio::awaitable<http::Response> vote_for_user(http::Request const& req, Deps& deps)
{
    return change_vote_of_user(req, deps, Change::add);
}

asio::awaitable<http::Response> withdraw_vote_of_user(http::Request const& req, Deps& deps)
{
    return change_vote_of_user(req, deps, Change::remove);
}

asio::awaitable<http::Response> list_votes(http::Request const& req, Deps& deps)
{
    auto const asked = paging::PageRequest::read(
        req, paging::FilterHash().add("list", "votes").add("feedbackId", req.param("feedbackId")).value());
    auto rows = co_await deps.db.read(req.scope(), [&](pg::Tx& tx) {
        Feedback const f = get_readable(tx, req);
        return votes::list(tx, req.scope(), f.id, asked.after, asked.rows());
    });
    auto const write = [](core::JsonWriter& w, votes::Vote const& vote) {
        w.begin_object()
            .member("userId", vote.user_id.text())
            .member("userEmail", vote.user_email)
            .member("createdAt", vote.created_at)
            .end_object();
    };
    co_return http::Response::ok(paging::to_json(asked.page(std::move(rows)), write));
}

} // namespace feedback
