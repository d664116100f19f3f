#include "api/changes.hpp"

#include "api/events.hpp"
#include "audit/audit.hpp"
#include "storage/feedbacks.hpp"
#include "storage/mail_requests.hpp"
#include "storage/status_changes.hpp"

namespace feedback {

namespace {

audit::Entry entry_of(status_changes::Move const& move)
{
    auto const status = [](Status s) { return boost::json::object{{"status", to_string(s)}}; };
    return {.action = "feedback.status",
        .subject_type = "feedback",
        .subject_id = move.feedback_id.to_string(),
        .before = status(move.from),
        .after = status(move.to)};
}

} // namespace

Changes Changes::read(core::Fields& fields)
{
    Changes c;
    c.status = fields.change_one_of<Status>("status", false);
    c.priority = fields.change_one_of<Priority>("priority", true);
    c.assignee_id = fields.change_text("assigneeId", 1, 255);
    c.assignee_email = fields.change_email("assigneeEmail");
    c.tags = fields.change_list("tags", 10, 50);
    c.visibility = fields.change_one_of<Visibility>("visibility", false);
    fields.require_any_of(names);
    return c;
}

void Changes::apply(Feedback& f) const
{
    if (status) f.status = *status.value;
    if (priority) f.priority = priority.value;
    if (assignee_id) f.assignee_id = assignee_id.value;
    if (assignee_email) f.assignee_email = assignee_email.value;
    if (visibility) f.visibility = *visibility.value;
    if (tags) f.tags = tags.value.value_or(std::vector<std::string>());
}

void change(pg::Tx& tx, http::Request const& req, std::span<Feedback> threads, Changes const& changes)
{
    std::vector<Status> before;
    before.reserve(threads.size());
    for (Feedback& f : threads) {
        before.push_back(f.status);
        changes.apply(f);
    }
    feedbacks::update(tx, req.scope(), threads);
    events::updated(tx, req.context, threads);
    record_status_changes(tx, req, threads, before);
}

void record_status_changes(
    pg::Tx& tx, http::Request const& req, std::span<Feedback const> threads, std::span<Status const> before)
{
    std::vector<status_changes::Move> moves;
    std::vector<audit::Entry> entries;
    std::vector<core::Uuid> ids;
    moves.reserve(threads.size());
    entries.reserve(threads.size());
    ids.reserve(threads.size());
    for (std::size_t i = 0; i < threads.size(); ++i) {
        if (threads[i].status == before[i]) continue;
        moves.push_back({threads[i].id, before[i], threads[i].status});
        entries.push_back(entry_of(moves.back()));
        ids.push_back(threads[i].id);
    }
    status_changes::insert(tx, req.scope(), Author::of(req.caller()), moves);
    mail_requests::status_changed(tx, req.scope(), ids);
    audit::record_all(tx, req.context, entries);
}

} // namespace feedback
