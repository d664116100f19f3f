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

/// Tables `jobs` and `periodic_tasks`: registry tables (ids and times only), without row-level security.
/// Table `dead_jobs`: protected per scope.
pg::Component const& migrations();

/// The channel that a commit with new due jobs notifies. The payload is the queue's name.
inline constexpr char const* channel = "jobs";

/// The time for jobs and periodic tasks: the database's, at the start of the transaction. The clocks of
/// replicas may differ, so they never decide when a job is due or who holds it.
core::Time now(pg::Tx& tx);

/// Makes the handler of `queue` run for `ref` at least once after this transaction has committed, not before
/// `run_at` by the database's clock. Without `run_at` the job is due at once. A queue holds one job per
/// (scope, ref). If that job is waiting, it becomes due at `run_at` if that is earlier. If it is running, it
/// will run again. The commit wakes the workers of every replica, unless the job is due more than one second
/// later. Workers find such a job by polling.
void enqueue(pg::Tx& tx, std::string_view queue, std::int64_t scope_id, core::Uuid const& ref,
    std::optional<core::Time> run_at = std::nullopt);

/// As above, for many jobs in one statement. The refs must be distinct. A statement that inserts the rows to
/// which the jobs refer can enqueue the jobs itself, with the SQL function `enqueue_jobs(queue, scope_ids,
/// refs, times)`. Each array has one element per job. A job whose time is NULL is due at once.
void enqueue(pg::Tx& tx, std::string_view queue, std::int64_t scope_id, std::span<core::Uuid const> refs,
    std::optional<core::Time> run_at = std::nullopt);

/// Removes a waiting job, so that its handler will not run for it. Returns false and changes nothing if there
/// is no such job, or if it has a lease (including an expired lease, because the effects of its run are
/// unknown).
[[nodiscard]] bool withdraw(pg::Tx& tx, std::string_view queue, std::int64_t scope_id, core::Uuid const& ref);

/// A job that is leased to this process: no other process runs it until `lease_until`. All times are by the
/// database's clock.
struct Claim {
    std::string queue;
    std::int64_t scope_id = 0;
    core::Uuid ref;
    unsigned attempts = 0; ///< number of runs started, including this one
    core::Time run_at;     ///< when the job was due, or when the lease of its last run ended
    core::Time lease_until;
    core::Uuid token; ///< identifies the lease
    /// W3C trace of the request that caused the job, for the log. The job does not store it: its handler sets
    /// it from the row to which `ref` refers. Empty: no trace, or not known yet.
    std::string traceparent{};
};

/// What to claim, and what is running already.
struct ClaimRequest {
    std::string_view queue;
    std::size_t limit = 1;                       ///< maximum number of jobs
    std::size_t max_per_scope = 1;               ///< maximum number of jobs of one scope, including `running`
    std::map<std::int64_t, std::size_t> running; ///< per scope
    /// The round continues with the first scope id above this one. Scopes take turns in the order of their
    /// ids.
    std::int64_t after_scope = 0;
    std::chrono::milliseconds lease{60'000};
    bool abandoned = true; ///< whether to claim jobs whose lease has ended, too
};

struct ClaimResult {
    std::vector<Claim> claims;
    std::int64_t next_scope = 0; ///< `after_scope` of the next request
    /// The round has reached the last scope, and the next round begins with the first scope.
    bool end = true;
};

/// Leases due jobs (`FOR UPDATE SKIP LOCKED`), oldest first within a scope. Takes jobs from at most 64 scopes
/// at a time. Each scope costs one index probe, regardless of its number of jobs. While fewer than 128 jobs
/// are due, only the scopes of these jobs are visited. Otherwise, scopes whose jobs are all due later count
/// among the 64, too.
ClaimResult claim(pg::Tx& tx, ClaimRequest const& request);

/// Ends a claim: deletes the job, or schedules its next run if it was enqueued again meanwhile. Returns false
/// if the lease was lost; then the rest of this transaction must be rolled back.
[[nodiscard]] bool complete(pg::Tx& tx, Claim const& claim);

/// Ends a claim and makes its job due `delay` from now, or at the time for which it was enqueued again
/// meanwhile, if that is earlier. `counted`: whether the run counts as an attempt. Returns false like
/// `complete`.
[[nodiscard]] bool put_off(pg::Tx& tx, Claim const& claim, core::Time::duration delay, bool counted = true);

/// Records in `dead_jobs` that a claim's job was given up. `reason` must be valid UTF-8 without U+0000. The
/// transaction must see the claim's scope.
void record_dead(pg::Tx& tx, Claim const& claim, std::string_view reason, core::Time now);

/// How long an entry of `dead_jobs` is kept.
inline constexpr std::chrono::days dead_jobs_retention{90};

/// Deletes at most `limit` entries of `dead_jobs` that belong to these scopes and are older than `before`.
/// The transaction must see the scopes. Returns the number of deleted entries.
std::size_t purge_dead(
    pg::Tx& tx, std::span<std::int64_t const> scopes, core::Time before, std::size_t limit);

/// Releases claims whose jobs were not started. The jobs are due as before the claim, and no attempt is
/// counted. Skips claims whose lease was lost.
void give_back(pg::Tx& tx, std::span<Claim const> claims);

/// Extends the leases that are still held: they end `lease` from now. Skips jobs whose rows another
/// transaction has locked, because that transaction may be waiting for a lock of the jobs' tenant. Returns
/// the number of extended leases.
std::size_t renew(pg::Tx& tx, std::span<Claim const> claims, std::chrono::milliseconds lease);

} // namespace jobs
