#include "api/merge.hpp"

#include "api/events.hpp"
#include "api/feedback_access.hpp"
#include "api/json.hpp"
#include "audit/audit.hpp"
#include "core/error.hpp"
#include "core/fields.hpp"
#include "pg/database.hpp"
#include "storage/feedbacks.hpp"
#include "storage/mail_requests.hpp"
#include "storage/status_changes.hpp"
#include "storage/votes.hpp"

#include <algorithm>
#include <array>

namespace feedback {

namespace {

core::Uuid parse_target(http::Request const& req)
{
    core::Fields f(req.json());
    auto const id = core::Uuid::parse(f.text("into", 1, 100));
    if (!id && f.ok()) f.fault("into", "format", "must be the id of a feedback thread");
    f.check();
    return *id;
}

[[noreturn]] void conflict(std::string detail)
{
    throw core::Error(core::codes::conflict, std::move(detail));
}

Feedback& find(std::vector<Feedback>& threads, core::Uuid const& id)
{
    auto const found = std::ranges::find(threads, id, &Feedback::id);
    if (found == threads.end()) feedback_not_found();
    return *found;
}

void record(pg::Tx& tx, http::Request const& req, Feedback const& source, Feedback const& target, Status from)
{
    auto const actor = Author::of(req.caller());
    std::array const moves{status_changes::Move{source.id, from, source.status, target.id, {}},
        status_changes::Move{target.id, target.status, target.status, {}, source.id}};
    status_changes::insert(tx, req.scope(), actor, moves);
    mail_requests::status_changed(tx, req.scope(), {&source.id, 1});
    audit::record(tx, req.context,
        {.action = "feedback.merged",
            .subject_type = "feedback",
            .subject_id = source.id.to_string(),
            .before = boost::json::object{{"status", to_string(from)}},
            .after = boost::json::object{
                {"status", to_string(source.status)}, {"mergedInto", target.id.to_string()}}});
}

} // namespace

asio::awaitable<http::Response> merge_feedback(http::Request const& req, Deps& deps)
{
    auto const source_id = req.uuid_param("feedbackId");
    auto const target_id = parse_target(req);
    co_return co_await deps.db.transact(req.scope(), [&](pg::Tx& tx) {
        auto threads = feedbacks::lock_all(tx, req.scope(), std::array{source_id, target_id});
        Feedback& source = find(threads, source_id);
        if (source_id == target_id)
            conflict("A feedback thread cannot be merged into itself. Name another thread.");
        Feedback& target = find(threads, target_id);
        require_changeable(source);
        if (target.deleted() || target.merged())
            conflict("The target was deleted or merged into another thread. Name a thread that was neither.");

        Status const from = source.status;
        votes::move_all(tx, req.scope(), source, target);
        feedbacks::close_merged(tx, req.scope(), source, target);
        events::updated(tx, req.context, threads);
        record(tx, req, source, target, from);
        return respond(200, target, req);
    });
}

} // namespace feedback
