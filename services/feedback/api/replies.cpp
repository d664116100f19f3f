#include "api/replies.hpp"

#include "api/changes.hpp"
#include "api/events.hpp"
#include "api/feedback_access.hpp"
#include "api/json.hpp"
#include "blobs/attachments.hpp"
#include "core/fields.hpp"
#include "domain/settings.hpp"
#include "http/etag.hpp"
#include "idempotency/once.hpp"
#include "paging/cursor.hpp"
#include "storage/feedbacks.hpp"
#include "storage/mail_requests.hpp"
#include "storage/replies.hpp"
#include "tenancy/settings.hpp"

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

/// Whether a reply of the caller opens the thread again.
bool reopens(pg::Tx& tx, http::Request const& req, Feedback const& f)
{
    if (req.caller().is_staff() || (f.status != Status::resolved && f.status != Status::closed)) return false;
    return FeedbackSettings::of(tenancy::settings::read(tx, req.scope()).document).reopen_on_reply;
}

} // namespace

std::string etag_of(Reply const& reply)
{
    return http::etag(reply.edited_at.value_or(reply.created_at).time_since_epoch().count());
}

asio::awaitable<http::Response> post_reply(http::Request const& req, Deps& deps)
{
    Reply const draft = parse_reply(req);
    co_await deps.attachments.confirm_uploads(req.scope(), draft.attachment_ids);
    co_return co_await idempotency::once(deps.db, req, [&](pg::Tx& tx) {
        Feedback f = lock_readable(tx, req);
        require_changeable(f);
        Reply reply = draft;
        reply.feedback_id = f.id;
        reply.attachment_ids.clear();
        for (auto const& attachment : deps.attachments.attach(tx, req.scope(), draft.attachment_ids,
                 req.caller(), {.type = "feedback", .id = f.id, .internal = reply.internal})) {
            reply.attachment_ids.push_back(attachment.id.to_string());
        }
        reply.created_at = feedbacks::count_reply(tx, req.scope(), f, reply);
        replies::insert(tx, req.scope(), reply);
        mail_requests::replied(tx, req.scope(), reply, Author::of(req.caller()));
        events::replied(tx, req.context, f, reply);
        if (reopens(tx, req, f))
            change(tx, req, {&f, 1}, {.status = {.present = true, .value = Status::open}});
        auto response = http::Response::created(to_json(reply, Viewer(req.caller())));
        response.headers.emplace_back("ETag", etag_of(reply));
        if (f.user_id) response.about_user = f.user_id->text();
        return response;
    });
}

asio::awaitable<http::Response> list_replies(http::Request const& req, Deps& deps)
{
    auto const asked = paging::PageRequest::read(
        req, paging::FilterHash().add("list", "replies").add("feedbackId", req.param("feedbackId")).value());
    Viewer const viewer(req.caller());
    auto rows = co_await deps.db.read(req.scope(), [&](pg::Tx& tx) {
        Feedback const f = get_readable(tx, req);
        return replies::list(tx, req.scope(), f.id, viewer.is_staff(), asked.after, asked.rows());
    });
    co_return http::Response::ok(to_json(asked.page(std::move(rows)), viewer));
}

} // namespace feedback
