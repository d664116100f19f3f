#pragma once

#include "jobs/worker.hpp"

#include <any>
#include <chrono>
#include <cstddef>
#include <span>
#include <vector>

namespace jobs {

/// How a run ended. Endings are written in batches.
struct Ending {
    Claim claim;
    Outcome::Kind kind = Outcome::Kind::done;
    core::Time run_at{};              ///< retry only; by the clock of this process
    bool counted = true;              ///< retry only: whether the run was one of the job's attempts
    bool begun = true;                ///< false: it was only put off, and Hooks::finished is not told
    std::chrono::nanoseconds took{0}; ///< for Hooks::finished
    std::any note{};                  ///< the handler's, for what it writes
};

/// Ends the claims of these runs, all of one queue, as `complete` and `put_off` do: each only while its lease
/// is held. At most two statements. Returns the indices of the endings whose lease was held, in ascending
/// order; the caller must write nothing for the others. `now`: by the same clock as `run_at`. The delay
/// between the two is measured by the database's clock.
[[nodiscard]] std::vector<std::size_t> settle(pg::Tx& tx, std::span<Ending const> endings, core::Time now);

} // namespace jobs
