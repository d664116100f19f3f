#pragma once

#include "jobs/worker.hpp"

#include <any>
#include <chrono>
#include <cstddef>
#include <span>
#include <vector>

namespace jobs {

/// How a run ended, for those that are written down many at a time.
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
/// is held. Two statements at most, however many there are. Returns the places in `endings` of those that
/// held their lease, in their order; whatever the others wanted to write must not be written. `now`: of the
/// clock that `run_at` is by; the database's clock decides when the delay between them has passed.
[[nodiscard]] std::vector<std::size_t> settle(pg::Tx& tx, std::span<Ending const> endings, core::Time now);

} // namespace jobs
