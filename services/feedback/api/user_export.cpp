#include "api/user_export.hpp"

#include "api/json.hpp"
#include "api/list_filter.hpp"
#include "blobs/attachment_rows.hpp"
#include "blobs/attachments.hpp"
#include "storage/feedback_lists.hpp"
#include "storage/feedbacks.hpp"
#include "storage/replies.hpp"
#include "storage/reply_edits.hpp"
#include "storage/user_data.hpp"
#include "storage/votes.hpp"

namespace feedback::user_export {

namespace {

constexpr std::size_t uuid_length = 36;

core::Caller caller_of(core::Access kind, core::UserId const& user_id)
{
    return {.kind = kind, .id = user_id.text(), .email = {}, .session_id = {}, .role = {}};
}

core::Uuid uuid_at(std::string const& position, std::size_t begin)
{
    return core::Uuid::parse(std::string_view(position).substr(begin, uuid_length)).value();
}

} // namespace

user_data::ExportPage list_threads(
    pg::Tx& tx, core::Scope const& scope, core::UserId const& user_id, std::string const& position)
{
    auto const caller = caller_of(core::Access::user, user_id);
    Viewer const viewer(caller);
    Filter const filter{.user_id = user_id, .include_deleted = true, .for_user = true};
    auto const threads =
        feedbacks::list(tx, scope, filter, paging::decode(position, 0), user_data::export_page);
    return user_data::make_page(
        "feedback", threads, [&](Feedback const& thread) { return to_json(thread, viewer); },
        [&](Feedback const& thread) { return position_of(thread, filter, viewer); });
}

user_data::ExportPage list_replies(
    pg::Tx& tx, core::Scope const& scope, core::UserId const& user_id, std::string const& position)
{
    if (!user_rows::can_be_author(user_id)) return {};
    replies::Key after;
    if (!position.empty()) after = {uuid_at(position, 0), uuid_at(position, uuid_length)};
    auto const caller = caller_of(core::Access::admin, user_id); // sees the member `internal`
    auto const found = replies::list_of_author(tx, scope, user_id, after, user_data::export_page);
    user_data::ExportPage page;
    for (auto const& reply : found)
        page.add("reply", to_json(reply, Viewer(caller)));
    if (found.size() == user_data::export_page)
        page.next = found.back().feedback_id.to_string() + found.back().id.to_string();
    return page;
}

user_data::ExportPage list_reply_edits(
    pg::Tx& tx, core::Scope const& scope, core::UserId const& user_id, std::string const& position)
{
    if (!user_rows::can_be_author(user_id)) return {};
    reply_edits::Key after;
    if (!position.empty())
        after = {uuid_at(position, 0), uuid_at(position, uuid_length), uuid_at(position, 2 * uuid_length)};
    auto const found = reply_edits::list_of_author(tx, scope, user_id, after, user_data::export_page);
    user_data::ExportPage page;
    for (ReplyEdit const& edit : found) {
        core::JsonWriter w(256);
        w.begin_object()
            .member("feedbackId", edit.feedback_id.to_string())
            .member("replyId", edit.reply_id.to_string())
            .member("body", edit.body)
            .member("editedAt", edit.at)
            .member("previous", true)
            .end_object();
        page.add("reply", std::move(w).str());
    }
    if (found.size() == user_data::export_page) {
        auto const& last = found.back();
        page.next = last.feedback_id.to_string() + last.reply_id.to_string() + last.id.to_string();
    }
    return page;
}

user_data::ExportPage list_votes(
    pg::Tx& tx, core::Scope const& scope, core::UserId const& user_id, std::string const& position)
{
    auto const after = paging::id_of(paging::decode(position, 0));
    auto const found = votes::list_of_user(tx, scope, user_id, after, user_data::export_page);
    auto const to_json = [](votes::Vote const& vote) {
        core::JsonWriter w;
        w.begin_object()
            .member("feedbackId", vote.feedback_id.to_string())
            .member("createdAt", vote.created_at)
            .end_object();
        return std::move(w).str();
    };
    return user_data::make_page("vote", found, to_json,
        [](votes::Vote const& vote) { return paging::Position{{}, vote.feedback_id}; });
}

user_data::ExportPage list_attachments(
    pg::Tx& tx, core::Scope const& scope, core::UserId const& user_id, std::string const& position)
{
    auto const after = paging::id_of(paging::decode(position, 0));
    auto const found =
        blobs::attachment_rows::list_of_owner(tx, scope.id, user_id, after, user_data::export_page);
    return user_data::make_page("attachment", found, blobs::metadata_json,
        [](blobs::Attachment const& attachment) { return paging::Position{{}, attachment.id}; });
}

} // namespace feedback::user_export
