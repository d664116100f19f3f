#pragma once

#include "core/clock.hpp"
#include "core/scope.hpp"
#include "domain/access.hpp"
#include "domain/event.hpp"
#include "ingest/apply_event.hpp"
#include "pg/tx.hpp"

#include <optional>
#include <string>

/// Events of this service itself (domain/own_event.hpp). Each function archives the event in the transaction
/// of its effect. The caller holds the scope's lock.
namespace billing::ingest {

/// An event of this service with a new id, in the environment of `scope_id`. The caller sets `data`.
Event new_own_event(
    core::ScopeId scope_id, std::string_view type, std::optional<core::UserId> user_id, core::Time at);

/// Where and when an event of this service happens.
struct OwnEventContext {
    core::ScopeId scope_id{};
    AccessSettings settings; ///< of the tenant
    core::Time now;          ///< by this process's clock
};

/// Applies the event, and archives it with its outcome. `payload`: own_payload(). Other users whom the event
/// names are erased from the archived payload if their account was deleted; the caller checks the event's own
/// user. The caller publishes the changes.
AppliedEvent ingest_own(pg::Tx& tx, OwnEventContext const& context, Event event, std::string payload);

/// Archives that the tenant's settings for access changed at `now`. Takes the scope's lock.
void record_settings(pg::Tx& tx, core::ScopeId scope_id, SettingsEvent const& change, core::Time now);

} // namespace billing::ingest
