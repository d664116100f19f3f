#pragma once
// Only ChunkHandler and JobHandlers use this header.

#include "core/clock.hpp"
#include "jobs/end_claims.hpp"
#include "pg/tx.hpp"
#include "workers/broadcast_chunk_run.hpp"

#include <memory>
#include <span>

namespace notify {

/// What a run of a chunk changes: the note of its FinishedRun.
struct ChunkChange {
    broadcast_chunks::Key key;
    std::shared_ptr<ChunkRun const> run; ///< null: the run tried nothing, because the carrier takes no pushes
};

/// Writes the changes of runs, in the transaction that ends their claims (jobs::AsyncHandler::record): what
/// the runs leave of the chunks, the counters of the broadcasts, pauses of carriers, and gone devices.
void record_chunk_changes(pg::Tx& tx, std::span<jobs::FinishedRun const* const> runs, core::Time now);

/// Fails all remaining devices of a chunk. Called if the outcome of the chunk's run cannot be written
/// (`jobs::AsyncWorkerOptions::on_dead`).
void fail_chunk(pg::Tx& tx, Carrier carrier, broadcast_chunks::Key const& key, core::Time now);

} // namespace notify
