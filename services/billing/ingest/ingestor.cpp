#include "ingest/ingestor.hpp"

#include "ingest/ingest_batch.hpp"
#include "ingest/ingest_event.hpp"
#include "pg/database.hpp"

namespace billing::ingest {

Ingestor::Ingestor(pg::Database& db) : db_(db), batches_(db, ingest_batch) {}

boost::asio::awaitable<EventOutcome> Ingestor::ingest(IncomingEvent const& incoming)
{
    if (auto outcome = co_await batches_.run(incoming)) co_return *std::move(outcome);
    co_return co_await db_.transact(pg::Scopes::of_tenant(core::tenant_of(incoming.scope_id)),
        [&](pg::Tx& tx) { return ingest_event(tx, incoming); });
}

} // namespace billing::ingest
