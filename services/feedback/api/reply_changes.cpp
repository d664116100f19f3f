#include "api/reply_changes.hpp"

#include "api/events.hpp"
#include "api/feedback_access.hpp"
#include "api/json.hpp"
#include "api/replies.hpp"
#include "audit/audit.hpp"
#include "blobs/erasure.hpp"
#include "core/error.hpp"
#include "core/fields.hpp"
#include "http/etag.hpp"
#include "paging/cursor.hpp"
#include "pg/database.hpp"
#include "storage/feedbacks.hpp"
#include "storage/replies.hpp"
#include "storage/reply_edits.hpp"

namespace feedback {

namespace {

std::string parse_body(http::Request const& req)
{
    core::Fields f(req.json());
    std::string body = f.text("body", 1, 20'000);
    f.check();
    return body;
}

/// The reply with the `replyId` of the path in a thread that the caller may read. Throws NOT_FOUND if it does
/// not exist or the caller may not see it.
Reply get_visible(pg::Tx& tx, http::Request const& req, Feedback const& f)
{
    auto found = replies::get(tx, req.scope(), f.id, req.uuid_param("replyId"));
    if (!found || !Viewer(req.caller()).may_read(*found))
        throw core::Error(core::codes::not_found,
            "There is no reply with this id in this thread that you may read. Check the id.");
    return *std::move(found);
}

[[noreturn]] void forbidden(char const* detail)
{
    throw core::Error(core::codes::forbidden, detail);
}

void check_changeable(http::Request const& req, Feedback const& f, Reply const& reply)
{
    http::check_if_match(req, etag_of(reply));
    require_changeable(f);
}

/// Replaces the body and keeps the previous one.
void edit(pg::Tx& tx, core::Scope const& scope, Reply& reply, std::string const& body)
{
    reply.edited_at = reply_edits::insert(tx, scope, reply);
    if (!reply.edited_at)
        throw core::Error(core::codes::conflict,
            "This reply was edited 100 times, so it cannot be edited again. Post another reply instead.");
    reply.body = body;
    replies::edit(tx, scope, reply);
}

std::vector<core::Uuid> uuids_of(std::vector<std::string> const& texts)
{
    std::vector<core::Uuid> ids;
    ids.reserve(texts.size());
    for (auto const& text : texts)
        ids.push_back(core::Uuid::parse(text).value());
    return ids;
}

/// The entry does not contain the body, because an entry cannot be removed.
void record(pg::Tx& tx, http::Context const& context, Reply const& reply, char const* action)
{
    audit::record(tx, context,
        {.action = action,
            .subject_type = "reply",
            .subject_id = reply.id.to_string(),
            .before = boost::json::object{{"feedbackId", reply.feedback_id.to_string()}},
            .after = std::nullopt});
}

http::Response respond(http::Request const& req, Reply const& reply)
{
    auto response = http::Response::ok(to_json(reply, Viewer(req.caller())));
    response.headers.emplace_back("ETag", etag_of(reply));
    return response;
}

} // namespace

asio::awaitable<http::Response> update_reply(http::Request const& req, Deps& deps)
{
    std::string const body = parse_body(req);
    co_return co_await deps.db.transact(req.scope(), [&](pg::Tx& tx) {
        Feedback f = lock_readable(tx, req);
        Reply reply = get_visible(tx, req, f);
        if (!Viewer(req.caller()).is_author(reply))
            forbidden("Only the author of a reply may edit it. Post another reply instead.");
        check_changeable(req, f, reply);
        if (body == reply.body) return respond(req, reply);
        edit(tx, req.scope(), reply, body);
        feedbacks::count_reply_change(tx, req.scope(), f, reply, feedbacks::ReplyChange::edited);
        events::reply_updated(tx, req.context, f, reply);
        record(tx, req.context, reply, "reply.updated");
        return respond(req, reply);
    });
}

asio::awaitable<http::Response> delete_reply(http::Request const& req, Deps& deps)
{
    co_return co_await deps.db.transact(req.scope(), [&](pg::Tx& tx) {
        Feedback f = lock_readable(tx, req);
        Reply const reply = get_visible(tx, req, f);
        Viewer const viewer(req.caller());
        if (!viewer.is_staff() && !viewer.is_author(reply))
            forbidden("Only staff and the author of a reply may delete it.");
        check_changeable(req, f, reply);
        core::Time const at = replies::remove(tx, req.scope(), reply);
        feedbacks::count_reply_change(tx, req.scope(), f, reply, feedbacks::ReplyChange::deleted);
        if (!reply.attachment_ids.empty())
            blobs::erase_attachments(tx, req.scope().id, uuids_of(reply.attachment_ids), std::span(&f.id, 1));
        events::reply_deleted(tx, req.context, f, reply, at);
        record(tx, req.context, reply, "reply.deleted");
        return http::Response::deleted();
    });
}

asio::awaitable<http::Response> list_reply_history(http::Request const& req, Deps& deps)
{
    auto const asked = paging::PageRequest::read(
        req, paging::FilterHash().add("list", "replyHistory").add("replyId", req.param("replyId")).value());
    auto rows = co_await deps.db.read(req.scope(), [&](pg::Tx& tx) {
        Feedback const f = get_readable(tx, req);
        Reply const reply = get_visible(tx, req, f);
        return reply_edits::list(tx, req.scope(), f.id, reply.id, asked.after, asked.rows());
    });
    auto const position_of = [](ReplyEdit const& edit) { return paging::Position{edit.at, edit.id}; };
    co_return http::Response::ok(to_json(asked.page(std::move(rows), position_of), Viewer(req.caller())));
}

} // namespace feedback
