#pragma once

#include "core/clock.hpp"
#include "pg/database.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace jobs {

/// The size and age of one queue. Times are the database's.
struct Backlog {
    std::string queue;
    std::int64_t jobs = 0; ///< all jobs: due, running, or for later
    /// When the oldest of the queue's first `dated_jobs` jobs was enqueued.
    std::optional<core::Time> oldest;
    std::int64_t due = 0;                 ///< jobs that may run now and wait for a worker
    std::optional<core::Time> oldest_due; ///< when the job that has been due longest became due
};

/// Limits of `survey`, which bound its cost.
inline constexpr int surveyed_jobs = 10'000; ///< per queue: maximum value of `jobs` and of `due`
/// Per queue: `oldest` considers only this many jobs, in the order of their scopes.
inline constexpr int dated_jobs = 1'000;
/// Per queue: `due` and `oldest_due` consider only this many scopes, in the order of their ids.
inline constexpr int surveyed_scopes = 2'000;

/// Returns the backlog of each of these queues in one statement, with one index probe per scope and at most
/// `surveyed_jobs` entries of the same index. For gauges. The transaction need not see any scope.
std::vector<Backlog> survey(pg::Tx& tx, std::span<std::string const> queues);

/// Returns the time at which each periodic task is due next, by name. For a running task, it is the end of
/// its lease. Tasks that have never run are missing.
std::map<std::string, core::Time> next_runs(pg::Tx& tx);

} // namespace jobs
