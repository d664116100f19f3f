#include "api/feedbacks.hpp"

#include "api/changes.hpp"
#include "api/events.hpp"
#include "api/feedback_access.hpp"
#include "api/json.hpp"
#include "api/list_filter.hpp"
#include "api/search.hpp"
#include "api/settings_of.hpp"
#include "api/vote_page.hpp"
#include "batchers.hpp"
#include "blobs/attachments.hpp"
#include "core/fields.hpp"
#include "http/etag.hpp"
#include "idempotency/once.hpp"
#include "paging/cursor.hpp"
#include "storage/feedback_lists.hpp"
#include "storage/feedbacks.hpp"
#include "storage/mail_requests.hpp"

namespace feedback {

namespace {

AppContext parse_app_context(core::Fields& f, boost::json::value const& body)
{
    core::Fields nested(body, "/appContext");
    AppContext context;
    context.app_name = nested.optional_text("appName", 1, 100);
    context.app_version = nested.optional_text("appVersion", 1, 100);
    context.os = nested.optional_text("os", 1, 100);
    context.os_version = nested.optional_text("osVersion", 1, 100);
    f.absorb(nested);
    return context;
}

/// The user of a JWT, or the user that a key or the master key names. A JWT cannot name another user.
Reporter parse_reporter(core::Fields& f, core::Caller const& caller)
{
    if (caller.is_jwt()) {
        auto const author = Author::of(caller);
        return {author.user_id, author.email, author.email_verified};
    }
    Reporter reporter;
    reporter.user_id = std::optional<core::UserId>(f.optional_text("userId", 1, 255));
    reporter.email = f.change_email("userEmail").value;
    if (reporter.email && !reporter.user_id) f.fault("userId", "required", "must be given with userEmail");
    return reporter;
}

FeedbackInput parse_input(http::Request const& req)
{
    core::Fields f(req.json());
    FeedbackInput input;
    input.category = f.one_of<Category>("category");
    input.title = f.text("title", 1, 200);
    input.body = f.text("body", 1, 20'000);
    input.priority = f.optional_one_of<Priority>("priority");
    if (auto const* context = f.optional_object("appContext"))
        input.app_context = parse_app_context(f, *context);
    input.attachment_ids = f.optional_list("attachmentIds", 5, 100);
    input.tags = f.optional_list("tags", 10, 50);
    input.reporter = parse_reporter(f, req.caller());
    f.check();
    return input;
}

http::Response created(Feedback const& f, http::Request const& req)
{
    return respond(201, f, req).header("Location", "/v1/feedbacks/" + f.id.to_string());
}

std::vector<std::string> ids_of(std::vector<blobs::Attachment> const& attachments)
{
    std::vector<std::string> ids;
    ids.reserve(attachments.size());
    for (auto const& attachment : attachments)
        ids.push_back(attachment.id.to_string());
    return ids;
}

Changes parse_changes(http::Request const& req)
{
    core::Fields f(req.json());
    Changes const changes = Changes::read(f);
    f.check();
    return changes;
}

} // namespace

asio::awaitable<http::Response> create_feedback(http::Request const& req, Deps& deps)
{
    feedbacks::NewFeedback row{core::Uuid::v7(), req.scope().id, parse_input(req), Author::of(req.caller())};
    if (row.input.category == Category::feature && (co_await settings_of(req, deps)).public_by_default)
        row.input.visibility = Visibility::public_;
    // Most requests only insert this row, so one statement inserts the rows of many callers.
    if (row.input.attachment_ids.empty() && req.context.idempotency_key.empty()) {
        auto const at = co_await deps.batchers.insert.run(row);
        if (at) co_return created(feedbacks::created(row, *at), req);
    }
    co_await deps.attachments.confirm_uploads(req.scope(), row.input.attachment_ids);
    co_return co_await idempotency::once(deps.db, req, [&](pg::Tx& tx) {
        feedbacks::NewFeedback complete = row;
        complete.input.attachment_ids = ids_of(deps.attachments.attach(
            tx, req.scope(), row.input.attachment_ids, req.caller(), {.type = "feedback", .id = row.id}));
        Feedback const f = feedbacks::created(complete, feedbacks::insert(tx, complete));
        mail_requests::created(tx, req.scope(), f.id, row.author);
        events::created(tx, req.context, f);
        auto response = created(f, req);
        if (f.user_id) response.about_user = f.user_id->text();
        return response;
    });
}

/// Answers a list in the order of votes.
static asio::awaitable<http::Response> list_by_votes(
    http::Request const& req, Deps& deps, Filter const& filter, http::Query& query)
{
    auto const asked = VotePage::read(query, filter.hash());
    query.check();
    auto rows = co_await deps.db.read(req.scope(), [&](pg::Tx& tx) {
        return feedbacks::list_by_votes(tx, req.scope(), filter, asked.after, asked.rows());
    });
    co_return http::Response::ok(to_json(asked.page(std::move(rows)), Viewer(req.caller())));
}

asio::awaitable<http::Response> list_feedbacks(http::Request const& req, Deps& deps)
{
    http::Query query(req);
    Filter const filter = read_filter(query, req.caller());
    if (filter.text) co_return co_await list_found(req, deps, filter, query);
    if (filter.sort == Sort::votes) co_return co_await list_by_votes(req, deps, filter, query);
    auto const asked = paging::PageRequest::read(query, filter.hash());
    query.check();

    // Long pages are read without the Batcher, to limit the memory of a batch.
    std::vector<Feedback> rows;
    if (filter.plain() && asked.limit <= 20) {
        rows = co_await deps.batchers.list.run({req.scope().id, asked.after, asked.rows()});
    } else {
        rows = co_await deps.db.read(req.scope(),
            [&](pg::Tx& tx) { return feedbacks::list(tx, req.scope(), filter, asked.after, asked.rows()); });
    }
    Viewer const viewer(req.caller());
    co_return http::Response::ok(to_json(
        asked.page(std::move(rows), [&](Feedback const& f) { return position_of(f, filter, viewer); }),
        viewer));
}

asio::awaitable<http::Response> get_feedback(http::Request const& req, Deps& deps)
{
    auto const found = co_await deps.batchers.get.run({req.scope().id, req.uuid_param("feedbackId")});
    if (!found || !Viewer(req.caller()).may_read(found->user_id)) feedback_not_found();
    co_return respond(200, *found, req);
}

asio::awaitable<http::Response> update_feedback(http::Request const& req, Deps& deps)
{
    bool const may_change = req.caller().is_staff();
    Changes const changes = may_change ? parse_changes(req) : Changes{};
    co_return co_await deps.db.transact(req.scope(), [&](pg::Tx& tx) {
        Feedback f = lock_readable(tx, req);
        if (!may_change)
            throw core::Error(core::codes::forbidden,
                "Only API keys, the master key, admins and owners may change a "
                "feedback thread. Use one of these credentials.");
        http::check_if_match(req, Viewer(req.caller()).etag(f));
        require_changeable(f);
        change(tx, req, {&f, 1}, changes);
        return respond(200, f, req);
    });
}

asio::awaitable<http::Response> delete_feedback(http::Request const& req, Deps& deps)
{
    co_return co_await deps.db.transact(req.scope(), [&](pg::Tx& tx) {
        Feedback f = lock_readable(tx, req);
        if (!req.caller().is_staff())
            throw core::Error(core::codes::forbidden,
                "Only API keys, the master key, admins and owners may delete a "
                "feedback thread. Use one of these credentials.");
        if (!f.deleted()) {
            http::check_if_match(req, Viewer(req.caller()).etag(f));
            Status const before = f.status;
            feedbacks::soft_delete(tx, req.scope(), f);
            events::deleted(tx, req.context, f);
            record_status_changes(tx, req, {&f, 1}, {&before, 1});
        }
        return http::Response::deleted();
    });
}

} // namespace feedback
