#include "api/replies.hpp"

#include "api/events.hpp"
#include "api/json.hpp"
#include "api/thread.hpp"
#include "core/fields.hpp"
#include "idempotency/once.hpp"
#include "paging/cursor.hpp"
#include "storage/replies.hpp"
#include "storage/status_moves.hpp"

namespace feedback {

namespace {

Reply parse_reply(http::Request const& req)
{
    core::Fields f(req.json());
    Reply reply;
    reply.id = core::Uuid::v7();
    reply.body = f.text("body", 1, 20'000);
    reply.attachment_ids = f.optional_list("attachmentIds", 5, 100);
    if (req.caller().is_staff()) reply.internal = f.optional_boolean("internal").value_or(false);
    f.check();
    reply.author_id = req.caller().id;
    reply.author_role = req.caller().role;
    return reply;
}

/// Responds with one page of the items that belong to the thread in the path. `list` receives the
/// transaction, the position after which the page starts, and the maximum number of rows.
template <class List, class PositionOf>
asio::awaitable<http::Response> page_of_thread(
    http::Request const& req, Deps& deps, std::string_view name, List list, PositionOf position_of)
{
    auto const asked = paging::PageRequest::read(
        req, paging::FilterHash().add("list", name).add("feedbackId", req.param("feedbackId")).value());
    auto rows = co_await deps.db.read(req.scope(), [&](pg::Tx& tx) {
        get_visible(tx, req);
        return list(tx, asked.after, asked.rows());
    });
    co_return http::Response::ok(to_json(asked.page(std::move(rows), position_of), Viewer(req.caller())));
}

} // namespace

asio::awaitable<http::Response> post_reply(http::Request const& req, Deps& deps)
{
    Reply const draft = parse_reply(req);
    co_await deps.attachments.confirm_uploads(req.scope(), draft.attachment_ids);
    co_return co_await idempotency::once(deps.db, req, [&](pg::Tx& tx) {
        Feedback thread = lock_visible(tx, req);
        require_live(thread);
        Reply reply = draft;
        reply.feedback_id = thread.id;
        reply.attachment_ids.clear();
        for (auto const& attachment : deps.attachments.claim(tx, req.scope(), draft.attachment_ids,
                 req.caller(), {.type = "feedback", .id = thread.id, .internal = reply.internal})) {
            reply.attachment_ids.push_back(attachment.id.to_string());
        }
        reply.created_at = feedbacks::count_reply(tx, req.scope(), thread, reply.internal);
        replies::insert(tx, req.scope(), reply);
        events::replied(tx, req.context, reply);
        return http::Response::created(to_json(reply, Viewer(req.caller())));
    });
}

asio::awaitable<http::Response> list_replies(http::Request const& req, Deps& deps)
{
    return page_of_thread(
        req, deps, "replies",
        [&req](pg::Tx& tx, auto const& after, std::size_t limit) {
            return replies::list(
                tx, req.scope(), req.uuid_param("feedbackId"), req.caller().is_staff(), after, limit);
        },
        [](Reply const& reply) { return paging::Position{reply.created_at, reply.id}; });
}

asio::awaitable<http::Response> list_history(http::Request const& req, Deps& deps)
{
    return page_of_thread(
        req, deps, "history",
        [&req](pg::Tx& tx, auto const& after, std::size_t limit) {
            return status_moves::list(tx, req.scope(), req.uuid_param("feedbackId"), after, limit);
        },
        [](StatusMove const& move) { return paging::Position{move.at, move.id}; });
}

} // namespace feedback
