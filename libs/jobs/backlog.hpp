#pragma once

#include "core/clock.hpp"
#include "pg/tx.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace jobs {

/// The size and age of one queue. Times are by the database's clock.
struct Backlog {
    std::string queue;
    std::int64_t jobs = 0; ///< all jobs: due, running, or due later
    /// When the oldest of the queue's first `max_dated_jobs` jobs was enqueued.
    std::optional<core::Time> oldest;
    std::int64_t due = 0;                 ///< jobs that may run now and wait for a worker
    std::optional<core::Time> oldest_due; ///< when the job that has been due longest became due
};

/// Limits of `read_backlogs`, which bound its cost.
inline constexpr int max_counted_jobs = 10'000; ///< per queue: maximum value of `jobs` and of `due`
/// Per queue: `oldest` considers only this many jobs, in the order of their scopes.
inline constexpr int max_dated_jobs = 1'000;
/// Per queue: `due` and `oldest_due` consider only this many scopes, in the order of their ids.
inline constexpr int max_counted_scopes = 2'000;

/// Returns the backlog of each of these queues, for metrics. The cost is bounded: one statement, which makes
/// one index probe per scope and reads at most `max_counted_jobs` index entries for each count. The
/// transaction need not see any scope.
std::vector<Backlog> read_backlogs(pg::Tx& tx, std::span<std::string const> queues);

/// Maps the name of each periodic task to the time at which it is due next. For a running task this is the
/// end of its lease. The map omits tasks that have never run.
std::map<std::string, core::Time> next_runs(pg::Tx& tx);

} // namespace jobs
