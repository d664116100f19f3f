#include "api/json.hpp"

namespace feedback {

namespace {

std::optional<std::string> text_of(std::optional<core::Uuid> const& id)
{
    return id ? std::optional(id->to_string()) : std::nullopt;
}

} // namespace

void write_members(core::JsonWriter& w, Feedback const& f, Viewer const& viewer)
{
    ReplySummary const& replies = viewer.replies(f);
    w.member("feedbackId", f.id.to_string())
        .member("status", to_string(f.status))
        .member("category", to_string(f.category))
        .member("priority", f.priority ? std::optional(to_string(*f.priority)) : std::nullopt)
        .member("title", f.title)
        .member("body", f.body)
        .key("appContext");
    if (f.app_context) {
        w.raw(*f.app_context);
    } else {
        w.null();
    }
    w.member("attachmentIds", f.attachment_ids)
        .member("tags", f.tags)
        .member("userId", f.user_id)
        .member("userEmail", f.user_email)
        .member("userEmailVerified", f.user_email_verified)
        .member("visibility", to_string(f.visibility))
        .member("voteCount", f.vote_count)
        .member("mergedInto", text_of(f.merged_into))
        .member("assigneeId", f.assignee_id)
        .member("assigneeEmail", viewer.is_staff() ? f.assignee_email : std::nullopt)
        .member("replyCount", replies.count)
        .member("lastReplyAt", replies.last_at)
        .member("createdAt", f.created_at)
        .member("updatedAt", f.updated_at)
        .member("deletedAt", f.deleted_at)
        .member("version", f.version);
}

void write(core::JsonWriter& w, Feedback const& f, Viewer const& viewer)
{
    w.begin_object();
    write_members(w, f, viewer);
    w.end_object();
}

void write(core::JsonWriter& w, Reply const& reply, Viewer const& viewer)
{
    w.begin_object()
        .member("replyId", reply.id.to_string())
        .member("feedbackId", reply.feedback_id.to_string())
        .member("body", reply.body)
        .member("attachmentIds", reply.attachment_ids)
        .member("authorId", reply.author_id)
        .member("authorRole", reply.author_role)
        .member("createdAt", reply.created_at)
        .member("editedAt", reply.edited_at);
    if (viewer.is_staff()) w.member("internal", reply.internal);
    w.end_object();
}

void write(core::JsonWriter& w, ReplyEdit const& edit, Viewer const&)
{
    w.begin_object().member("body", edit.body).member("editedAt", edit.at).end_object();
}

void write(core::JsonWriter& w, StatusChange const& change, Viewer const&)
{
    w.begin_object()
        .member("from", change.from)
        .member("to", change.to)
        .member("actorId", change.actor_id)
        .member("actorRole", change.actor_role)
        .member("at", change.at)
        .member("mergedInto", text_of(change.merged_into))
        .member("mergedFrom", text_of(change.merged_from))
        .end_object();
}

http::Response respond(unsigned status, Feedback const& f, http::Request const& req)
{
    Viewer const viewer(req.caller());
    http::Response response{.status = status, .body = to_json(f, viewer)};
    response.headers.emplace_back("ETag", viewer.etag(f));
    return response;
}

} // namespace feedback
