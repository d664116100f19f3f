#pragma once
// Only JobHandlers uses this header.

#include "core/scope.hpp"
#include "jobs/worker.hpp"
#include "workers/deps.hpp"

#include <stop_token>

namespace notify {

/// Fans out broadcasts: splits their devices into chunks. The handler of `broadcasts::queue`.
class FanOutHandler {
public:
    explicit FanOutHandler(WorkerDeps const& deps) : deps_(deps) {}

    /// Splits a broadcast, some chunks per transaction, and continues where an earlier run ended. The jobs of
    /// committed chunks are due at once. Even if two runs are concurrent, each device gets into one chunk
    /// only, because each transaction locks the broadcast.
    jobs::Outcome operator()(core::Scope const& scope, jobs::Claim& claim, std::stop_token const& stop) const;

    /// Replaces a chunk that the previous version made by one chunk per carrier. The handler of
    /// `broadcast_chunks::mixed_queue`.
    jobs::Outcome split_mixed(jobs::Claim const& claim) const;

private:
    bool add_chunks(jobs::Claim& claim) const;

    WorkerDeps const& deps_;
};

} // namespace notify
