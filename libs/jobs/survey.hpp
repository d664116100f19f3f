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

/// What there is in one queue. Times are the database's.
struct Backlog {
    std::string queue;
    std::int64_t jobs = 0;                ///< all there are: due, running, or to be run later
    std::optional<core::Time> oldest;     ///< when the first of `dated_jobs` of them was enqueued
    std::int64_t due = 0;                 ///< those that could run now and wait for a worker
    std::optional<core::Time> oldest_due; ///< since when the first of them could
};

/// How far `survey` looks: what it costs is bounded, however much there is.
inline constexpr int surveyed_jobs = 10'000; ///< of a queue; counts go no further
inline constexpr int dated_jobs = 1'000;     ///< of a queue, in the order of their scopes: `oldest` is theirs
inline constexpr int surveyed_scopes = 2'000; ///< of a queue, by their ids: `due` and `oldest_due` are theirs

/// What there is in each of these queues, in one statement: one index probe a scope and at most
/// `surveyed_jobs` entries of the same index. For gauges. The transaction need not see any scope.
std::vector<Backlog> survey(pg::Tx& tx, std::span<std::string const> queues);

/// When each task of this database is due next, by its name; of one that runs, when its lease ends. Tasks
/// that never ran are not among them.
std::map<std::string, core::Time> next_runs(pg::Tx& tx);

} // namespace jobs
