#pragma once

#include "jobs/worker.hpp"

#include <any>
#include <chrono>
#include <cstddef>
#include <span>
#include <vector>

namespace jobs {

/// The outcome of a run. Finished runs are written in batches.
struct FinishedRun {
    Claim claim;
    Outcome::Kind kind = Outcome::Kind::done;
    core::Time run_at{}; ///< retry only; by the clock of this process
    bool counted = true; ///< retry only: whether the run was one of the job's attempts
    /// Whether the run began. If not, the job is only put off, and Hooks::finished is not called.
    bool begun = true;
    std::chrono::nanoseconds took{0}; ///< for Hooks::finished
    std::any note{};                  ///< data of the handler for its `record`
};

/// Ends the claims of these runs like `complete` and `put_off`. All claims must be of the same queue. Runs at
/// most two statements. Skips runs whose lease was lost; the caller must write nothing for these runs.
/// Returns the indices of the other runs, ascending. `now` and `run_at` must be by the same clock. A retried
/// job is due `run_at - now` later by the database's clock.
[[nodiscard]] std::vector<std::size_t> end_claims(
    pg::Tx& tx, std::span<FinishedRun const> runs, core::Time now);

} // namespace jobs
