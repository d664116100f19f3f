#pragma once

#include "domain/event_outcome.hpp"
#include "ingest/incoming_event.hpp"
#include "pg/batcher.hpp"

#include <boost/asio/awaitable.hpp>

#include <optional>

namespace pg {
class Database;
}

/// Turns the providers' events, and the purchases that a sync fetches, into stored entitlements. Publishes
/// the changes to the scope's webhooks in the same transaction.
namespace billing::ingest {

/// Ingests the events that the providers post.
class Ingestor {
public:
    /// `db` outlives this object.
    explicit Ingestor(pg::Database& db);

    /// Archives the event and applies it to the entitlements of its scope. Concurrent calls are combined into
    /// one batch. An event that a batch cannot ingest gets a transaction of its own. Call it from a coroutine
    /// on an I/O thread. `incoming` must stay valid until the call returns. Throws core::Error UNAVAILABLE if
    /// the database is unavailable.
    boost::asio::awaitable<EventOutcome> ingest(IncomingEvent const& incoming);

private:
    pg::Database& db_;
    pg::Batcher<IncomingEvent, std::optional<EventOutcome>> batches_;
};

} // namespace billing::ingest
