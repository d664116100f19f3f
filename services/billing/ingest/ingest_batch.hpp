#pragma once

#include "domain/event_outcome.hpp"
#include "ingest/incoming_event.hpp"
#include "ingest/plan.hpp"
#include "pg/batch.hpp"
#include "pg/tx.hpp"
#include "storage/event_batch.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace billing::ingest {

namespace asio = boost::asio;

/// Ingests many events of many scopes in few statements. The result of an event is nullopt if the event needs
/// a transaction of its own (`ingest_event`): if `plan_write` cannot plan it, or if other transactions have
/// changed rows that the event depends on.
pg::Batch<std::optional<EventOutcome>> ingest_batch(
    pg::BatchConnection& connection, std::span<IncomingEvent const> events);

/// An event of a batch.
struct BatchItem {
    IncomingEvent const* incoming = nullptr;
    std::size_t index = 0; ///< in the batch
    Snapshot snapshot;
    std::optional<event_batch::EventWrite> write;
};

/// Reads the snapshot of each item. Runs one statement, or two if an event is about a subscription.
asio::awaitable<void> read_snapshots(
    pg::BatchConnection& connection, pg::Scopes const& scopes, std::vector<BatchItem>& items);

/// Selects items whose planned writes have no row in common, in their order. The other items must be written
/// after the selected items.
std::vector<BatchItem*> independent(std::vector<BatchItem>& items);

/// Writes independent items in one statement. Returns for each item whether it was written, as
/// `event_batch::write` does.
pg::Batch<bool> write(pg::BatchConnection& connection, std::span<BatchItem* const> items);

} // namespace billing::ingest
