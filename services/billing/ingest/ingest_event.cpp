#include "ingest/ingest_event.hpp"

#include "ingest/apply_event.hpp"
#include "ingest/deleted_users.hpp"
#include "ingest/publish.hpp"
#include "storage/event_claims.hpp"

#include <string>

namespace billing::ingest {

EventOutcome ingest_event(pg::Tx& tx, IncomingEvent const& incoming)
{
    pg::lock_scope(tx, incoming.scope_id);
    auto row = archive_row_of(incoming);
    if (event_claims::exists(tx, incoming.scope_id, row.claim)) return {EventResult::duplicate, {}};
    row.received_at = event_archive::now(tx);
    erase_deleted_users(tx, incoming, row);
    AppliedEvent applied{.outcome = row.outcome};
    if (!incoming.rejected && row.is_erased) {
        applied.outcome = {EventResult::skipped, std::string(user_erased)};
    } else if (!incoming.rejected) {
        Event event = incoming.event;
        event.set_received_at(row.received_at);
        applied = apply_event(tx, incoming.scope_id, event.data, incoming.payment_settings);
    }
    row.outcome = applied.outcome;
    if (applied.user_id) row.user_id = applied.user_id;
    event_archive::insert(tx, incoming.scope_id, row);
    publish_changes(tx, incoming.scope_id, incoming.traceparent, applied.changes, row.received_at);
    return applied.outcome;
}

EventOutcome replay_event(pg::Tx& tx, core::ScopeId scope_id, event_archive::ArchivedEvent const& archived,
    PaymentSettings const& settings, std::string const& traceparent)
{
    if (archived.erased_at) return {EventResult::skipped, std::string(user_erased)};
    if (archived.result == EventResult::rejected) return {EventResult::rejected, {}};
    auto const event = event_archive::event_of(archived);
    if (!event) return {EventResult::rejected, {}};
    if (is_of_deleted_user(tx, scope_id, *event, archived.user_id))
        return {EventResult::skipped, std::string(user_erased)};
    AppliedEvent const applied = apply_event(tx, scope_id, event->data, settings);
    publish_changes(tx, scope_id, traceparent, applied.changes, event_archive::now(tx));
    if (applied.is_repeat && applied.changes.empty()) return {EventResult::duplicate, {}};
    bool const is_newly_applied =
        applied.outcome.result == EventResult::applied && archived.result != EventResult::applied;
    if (is_newly_applied)
        event_archive::set_outcome(
            tx, scope_id, archived, applied.outcome, applied.user_id ? applied.user_id : event->user_id);
    return applied.outcome;
}

} // namespace billing::ingest
