#pragma once
// Only the handlers of pushes and JobHandlers use this header.

#include "core/clock.hpp"
#include "core/id.hpp"
#include "jobs/end_claims.hpp"
#include "pg/tx.hpp"
#include "workers/push_run.hpp"

#include <memory>
#include <span>

namespace notify {

/// What a run of a push's job changes: the note of its FinishedRun.
struct PushChange {
    core::Uuid id; ///< of the notification
    /// Null: there is nothing to send any more, because the notification was acknowledged, opened, cancelled
    /// or removed. Its pending deliveries fail.
    std::shared_ptr<PushRun const> run;
};

/// Writes the changes of runs, in the transaction that ends their claims (jobs::AsyncHandler::record), in a
/// number of statements that does not depend on the number of runs. Locks all notifications before it takes
/// the lock of a scope, as transactions of the API do.
void record_push_changes(pg::Tx& tx, std::span<jobs::FinishedRun const* const> runs, core::Time now);

} // namespace notify
