#include "ingest/ingest_event.hpp"

#include "ingest/apply_event.hpp"
#include "ingest/deleted_users.hpp"
#include "ingest/publish.hpp"
#include "ingest/stored_rows.hpp"
#include "ingest/sync_requests.hpp"
#include "ingest/unknown_charges.hpp"
#include "storage/event_claims.hpp"
#include "storage/payment_references.hpp"

#include <string>

namespace billing::ingest {

namespace {

/// Applies an archived event, publishes the changes, and requests from the providers the data that the event
/// does not contain.
AppliedEvent apply_again(pg::Tx& tx, ReplayContext const& context,
    event_archive::ArchivedEvent const& archived, Event const& event)
{
    StoredRows rows(tx, context.scope_id, context.settings, context.now);
    auto applied = apply_event(rows, context.scope_id, event, archived.archive_id);
    applied.node.received_at = archived.received_at;
    payment_references::insert(tx, context.scope_id, applied.node);
    publish_changes(
        tx, context.scope_id, context.settings, context.traceparent, applied.changes, context.now);
    request_syncs(tx, context.scope_id, event);
    if (applied.outcome.reason == unknown_charge)
        look_up_later(tx, context.scope_id, event_claims::claim_of(archived.provider, archived.event_id));
    return applied;
}

void store_outcome(pg::Tx& tx, ReplayContext const& context, event_archive::ArchivedEvent const& archived,
    AppliedEvent const& applied, Event const& event)
{
    event_archive::set_outcome(
        tx, context.scope_id, archived, applied.outcome, applied.user_id ? applied.user_id : event.user_id);
}

} // namespace

EventOutcome ingest_event(pg::Tx& tx, IncomingEvent const& incoming)
{
    pg::lock_scope(tx, incoming.scope_id);
    auto row = archive_row_of(incoming);
    if (event_claims::exists(tx, incoming.scope_id, row.claim)) return {EventResult::duplicate, {}};
    row.received_at = event_archive::now(tx);
    erase_deleted_users(tx, incoming.scope_id, incoming.event, row);
    AppliedEvent applied{.outcome = row.outcome};
    if (!incoming.rejected && row.is_erased) {
        applied.outcome = {EventResult::skipped, std::string(user_erased)};
    } else if (incoming.is_deferred) {
        applied.outcome = {EventResult::deferred, {}};
    } else if (!incoming.rejected) {
        Event event = incoming.event;
        event.set_received_at(row.received_at);
        StoredRows rows(tx, incoming.scope_id, incoming.access_settings, incoming.now);
        applied = apply_event(rows, incoming.scope_id, event, row.archive_id);
        request_syncs(tx, incoming.scope_id, event);
        if (applied.outcome.reason == unknown_charge) look_up_later(tx, incoming.scope_id, row.claim);
    }
    row.outcome = applied.outcome;
    row.node = applied.node;
    if (applied.user_id) row.user_id = applied.user_id;
    event_archive::insert(tx, incoming.scope_id, row);
    publish_changes(
        tx, incoming.scope_id, incoming.access_settings, incoming.traceparent, applied.changes, incoming.now);
    return applied.outcome;
}

EventOutcome replay_event(
    pg::Tx& tx, ReplayContext const& context, event_archive::ArchivedEvent const& archived)
{
    if (archived.erased_at) return {EventResult::skipped, std::string(user_erased)};
    if (archived.result == EventResult::rejected) return {EventResult::rejected, {}};
    if (archived.result == EventResult::deferred) return {EventResult::deferred, {}};
    auto const event = event_archive::event_of(archived);
    if (!event) return {EventResult::rejected, {}};
    if (is_of_deleted_user(tx, context.scope_id, *event, archived.user_id))
        return {EventResult::skipped, std::string(user_erased)};
    auto const applied = apply_again(tx, context, archived, *event);
    if (applied.is_repeat && applied.changes.empty()) return {EventResult::duplicate, {}};
    bool const is_newly_applied =
        applied.outcome.result == EventResult::applied && archived.result != EventResult::applied;
    if (is_newly_applied) store_outcome(tx, context, archived, applied, *event);
    return applied.outcome;
}

void apply_deferred(pg::Tx& tx, ReplayContext const& context, event_archive::ArchivedEvent const& archived)
{
    event_users::EventKey const key{archived.archive_id, archived.received_at};
    event_archive::remove_deferred(tx, context.scope_id, key);
    auto const event = archived.erased_at ? std::nullopt : event_archive::event_of(archived);
    AppliedEvent applied{.outcome = {EventResult::skipped, std::string(user_erased)}};
    bool const is_applied = event && !is_of_deleted_user(tx, context.scope_id, *event, archived.user_id);
    if (is_applied) applied = apply_again(tx, context, archived, *event);
    store_outcome(tx, context, archived, applied, event.value_or(Event()));
    if (applied.outcome.reason == awaiting_subscription)
        event_archive::insert_waiting(tx, context.scope_id, *event->subscription_id, key);
}

} // namespace billing::ingest
