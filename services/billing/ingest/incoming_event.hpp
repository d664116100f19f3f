#pragma once

#include "core/id.hpp"
#include "core/scope.hpp"
#include "domain/access.hpp"
#include "domain/event.hpp"
#include "storage/event_archive.hpp"

#include <string>

namespace billing::ingest {

/// A received event, or an event of this service that is ingested like one.
struct IncomingEvent {
    core::ScopeId scope_id{}; ///< of the event's environment
    core::Uuid archive_id;
    Event event;
    bool rejected = false;    ///< true: the event is malformed, so it is only archived
    std::string body;         ///< as received
    bool is_deferred = false; ///< true: the tenant is suspended, so the event is only archived for now
    AccessSettings access_settings;
    core::Time now;          ///< time of the request, by this process's clock
    std::string traceparent; ///< of the request; may be empty
};

/// The claim that deduplicates the event in its scope.
core::Uuid claim_of(IncomingEvent const& incoming);

/// The archive row of the event, without time of receipt. Its outcome is `rejected`.
event_archive::NewEvent archive_row_of(IncomingEvent const& incoming);

} // namespace billing::ingest
