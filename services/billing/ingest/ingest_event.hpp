#pragma once

#include "core/scope.hpp"
#include "domain/access.hpp"
#include "domain/event_outcome.hpp"
#include "ingest/incoming_event.hpp"
#include "pg/tx.hpp"
#include "storage/event_archive.hpp"

#include <string>

namespace billing::ingest {

/// Ingests one event: writes the archive row, the claim that deduplicates the event, and the entitlements,
/// and publishes the changes. An event of a user whose account was deleted is archived without the user and
/// without payload, and is not applied. The transaction must see the event's scope; this function takes the
/// scope's lock.
EventOutcome ingest_event(pg::Tx& tx, IncomingEvent const& incoming);

/// Where and how an archived event is applied.
struct ReplayContext {
    core::ScopeId scope_id{};
    AccessSettings settings; ///< of the tenant
    core::Time now;          ///< by this process's clock
    std::string traceparent; ///< may be empty
};

/// Applies an archived event again, with its original time of receipt. If the event's effect is already
/// stored, the result is `duplicate` or `stale`. The archive row changes only if the event is applied now and
/// was not applied before. The transaction must see the scope. It must have taken the scope's lock before
/// it read `archived`, so that no erasure changes the event after the read.
///
/// An erased event is skipped, and so is an event of a user whose account was deleted. A deferred event stays
/// deferred.
///
/// A rejected event is rejected again, for these reasons:
/// - The provider got status 400 for the event.
/// - The event's id is not claimed.
/// - The event is archived in the scope that it was posted to.
/// - Some bytes of the event may have been replaced.
EventOutcome replay_event(
    pg::Tx& tx, ReplayContext const& context, event_archive::ArchivedEvent const& archived);

/// Applies an event that was deferred while its tenant was suspended, and stores its outcome. The transaction
/// must have taken the scope's lock before it read `archived`.
void apply_deferred(pg::Tx& tx, ReplayContext const& context, event_archive::ArchivedEvent const& archived);

} // namespace billing::ingest
