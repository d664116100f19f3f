#pragma once

#include "core/clock.hpp"
#include "core/id.hpp"
#include "pg/database.hpp"
#include "pg/migrate.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace jobs {

/// Tables `jobs` and `periodic_tasks`: registry tables (ids and times only), without row-level security; and
/// `dead_jobs`, each scope's own.
pg::Component const& migrations();

/// The channel a commit with new jobs that are due notifies; the payload is the queue's name.
inline constexpr char const* channel = "jobs";

/// The time that jobs and periodic tasks go by: the database's, at the beginning of the transaction. Clocks
/// of replicas may differ; none of them decides when a job is due or who holds it.
core::Time now(pg::Tx& tx);

/// Sees to it that `queue`'s handler runs for `ref` at least once after this transaction has committed, from
/// `run_at` on, by the database's clock; nullopt: at once, which no replica's clock can say. A queue holds
/// one job a (scope, ref): one that waits already is brought forward to `run_at` when that is earlier, one
/// that runs just now will run again. Wakes the workers of every replica at commit, unless it is for later
/// than a second from now: that they find by looking.
void enqueue(pg::Tx& tx, std::string_view queue, std::int64_t scope_id, core::Uuid const& ref,
    std::optional<core::Time> run_at = std::nullopt);

/// The same for many, in one statement. The refs differ from each other. A statement that makes what the jobs
/// are about can enqueue them itself: `enqueue_jobs(queue, scope_ids, refs, times)`, each array with an
/// element a job; a time that is NULL: at once.
void enqueue(pg::Tx& tx, std::string_view queue, std::int64_t scope_id, std::span<core::Uuid const> refs,
    std::optional<core::Time> run_at = std::nullopt);

/// Takes back a job that waits: its handler will not run for it. False: there is none, or somebody has a
/// lease on it (one that has run out included: what its holder did is not known), and nothing was changed.
[[nodiscard]] bool withdraw(pg::Tx& tx, std::string_view queue, std::int64_t scope_id, core::Uuid const& ref);

/// A job that is leased to this process: no other process runs it until `lease_until`. Its times are by
/// the database's clock.
struct Claim {
    std::string queue;
    std::int64_t scope_id = 0;
    core::Uuid ref;
    unsigned attempts = 0; ///< runs begun, this one included
    core::Time run_at;     ///< when it was due (or when the lease of a crashed worker ended)
    core::Time lease_until;
    core::Uuid token; ///< proves the lease
    /// W3C trace of the request that caused the job, for the log. A job is ids and times, so its handler sets
    /// it, once it has read what the job is about; empty: of no trace, or not known yet.
    std::string traceparent{};
};

/// What to take, and what runs already.
struct ClaimRequest {
    std::string_view queue;
    std::size_t limit = 1;                       ///< jobs at most
    std::size_t max_per_scope = 1;               ///< of one scope at most, with those that run already
    std::map<std::int64_t, std::size_t> running; ///< per scope
    std::int64_t after_scope = 0; ///< where the round goes on: scopes take turns in the order of their ids
    std::chrono::milliseconds lease{60'000};
    bool abandoned = true; ///< whether to take jobs whose lease has ended, too
};

struct ClaimResult {
    std::vector<Claim> claims;
    std::int64_t next_scope = 0; ///< `after_scope` of the next request
    bool end = true;             ///< the round reached the last scope: the next starts over
};

/// Leases due jobs (`FOR UPDATE SKIP LOCKED`), oldest first within a scope. Takes from no more than 64 scopes
/// at a time, each found by one index probe, however many jobs they have. While fewer than 128 jobs are due
/// it sees no scopes but theirs; with more, those that have jobs for later alone count among the 64.
ClaimResult claim(pg::Tx& tx, ClaimRequest const& request);

/// Ends a claim: the job is gone, or waits for its next run when it was enqueued again meanwhile. False: the
/// lease was lost to somebody else, and whatever else this transaction did must be rolled back.
[[nodiscard]] bool complete(pg::Tx& tx, Claim const& claim);

/// Ends a claim by putting it off for `delay` from now on (or to when it was enqueued for meanwhile, if that
/// is earlier). `counted`: whether the run is one of the job's attempts. False as for `complete`.
[[nodiscard]] bool put_off(pg::Tx& tx, Claim const& claim, core::Time::duration delay, bool counted = true);

/// Writes down in `dead_jobs` that a claim's job was given up, and why: valid UTF-8 without U+0000. The
/// transaction sees the claim's scope.
void record_dead(pg::Tx& tx, Claim const& claim, std::string_view reason, core::Time now);

/// How long `dead_jobs` keeps an entry.
inline constexpr std::chrono::days dead_jobs_retention{90};

/// Deletes at most `limit` entries of these scopes, which the transaction sees, that are older than that;
/// answers how many it deleted.
std::size_t purge_dead(
    pg::Tx& tx, std::span<std::int64_t const> scopes, core::Time before, std::size_t limit);

/// Gives back claims that were not begun: due as before, the attempt not counted. Lost leases are left alone.
void give_back(pg::Tx& tx, std::span<Claim const> claims);

/// Extends the leases that are still held: they end `lease` from now. Skips jobs that another transaction has
/// locked, which may wait for a lock of their tenant. Returns how many leases were extended.
std::size_t renew(pg::Tx& tx, std::span<Claim const> claims, std::chrono::milliseconds lease);

} // namespace jobs
