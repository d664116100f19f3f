#include "ingest/own_events.hpp"

#include "domain/own_event.hpp"
#include "ingest/deleted_users.hpp"
#include "ingest/stored_rows.hpp"
#include "storage/event_archive.hpp"
#include "storage/event_history.hpp"

#include <utility>

namespace billing::ingest {

namespace {

event_archive::NewEvent row_of(Event const& event, std::string payload, core::Time received_at)
{
    auto const archive_id = core::Uuid::parse(event.id).value();
    return {.archive_id = archive_id,
        .claim = archive_id,
        .received_at = received_at,
        .provider = Provider::internal,
        .event_id = event.id,
        .type = event.type,
        .outcome = {},
        .user_id = event.user_id,
        .named_users = event.named_users,
        .subscription_id = event.subscription_id,
        .event_at = event.at,
        .payload = std::move(payload),
        .node = {}};
}

} // namespace

Event new_own_event(
    core::ScopeId scope_id, std::string_view type, std::optional<core::UserId> user_id, core::Time at)
{
    Event event{
        .provider = Provider::internal, .id = core::Uuid::v7().to_string(), .type = std::string(type)};
    event.environment = core::environment_of(scope_id);
    event.user_id = std::move(user_id);
    event.at = at;
    return event;
}

AppliedEvent ingest_own(pg::Tx& tx, OwnEventContext const& context, Event event, std::string payload)
{
    auto const received_at = event_archive::now(tx);
    event.set_received_at(received_at);
    auto row = row_of(event, std::move(payload), received_at);
    // A fetched subscription may name other users.
    if (!event_archive::other_users(row).empty()) erase_deleted_users(tx, context.scope_id, event, row);
    AppliedEvent applied{.outcome = {EventResult::skipped, std::string(user_erased)}};
    if (!row.is_erased) {
        StoredRows rows(tx, context.scope_id, context.settings, context.now);
        applied = apply_event(rows, context.scope_id, event, row.archive_id);
    }
    row.outcome = applied.outcome;
    row.node = applied.node;
    event_archive::insert(tx, context.scope_id, row);
    return applied;
}

void record_settings(pg::Tx& tx, core::ScopeId scope_id, SettingsEvent const& change, core::Time now)
{
    pg::lock_scope(tx, scope_id);
    auto event = new_own_event(scope_id, settings_type, std::nullopt, now);
    event.data = change;
    auto row = row_of(event, own_payload(event), event_archive::now(tx));
    row.subscription_id = event_history::settings_subject;
    row.outcome = {EventResult::applied, {}};
    event_archive::insert(tx, scope_id, row);
}

} // namespace billing::ingest
