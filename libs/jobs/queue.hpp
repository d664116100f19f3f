#pragma once

#include "core/clock.hpp"
#include "core/id.hpp"
#include "core/scope.hpp"
#include "pg/migrate.hpp"
#include "pg/tx.hpp"

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

/// The tables `jobs` and `periodic_tasks` contain only ids, names and times, and have no row-level security.
/// The table `dead_jobs` has row-level security by scope.
pg::Component const& migrations();

/// The channel that a commit with new due jobs notifies. The payload is the queue's name.
inline constexpr char const* channel = "jobs";

/// Returns the time that jobs and periodic tasks use: the database's clock at the start of the transaction.
/// The clocks of replicas may differ, so they never decide when a job is due or whether a lease has ended.
core::Time now(pg::Tx& tx);

/// Adds a job, so that the handler of `queue` runs for `ref` at least once after this transaction has
/// committed. The handler does not run before `run_at` by the database's clock. Without `run_at` the job is
/// due at once. A queue holds at most one job per (scope, ref). If that job is already waiting, it becomes
/// due at the earlier of the two times. If it is running, it will run again. The commit wakes the workers of
/// every replica, unless the job is due more than one second later. Workers find a later job by polling.
void enqueue(pg::Tx& tx, std::string_view queue, core::ScopeId scope_id, core::Uuid const& ref,
    std::optional<core::Time> run_at = std::nullopt);

/// As `enqueue` for one job, but adds many jobs in one statement. The refs must be distinct. A statement that
/// inserts the rows to which the jobs refer can enqueue the jobs itself, with the SQL function
/// `enqueue_jobs(queue, scope_ids, refs, times)`. Each array has one element per job. A job whose time is
/// NULL is due at once.
void enqueue(pg::Tx& tx, std::string_view queue, core::ScopeId scope_id, std::span<core::Uuid const> refs,
    std::optional<core::Time> run_at = std::nullopt);

/// Removes a waiting job, so that its handler will not run for it. Returns false and changes nothing if the
/// job does not exist or has a lease. An expired lease counts too, because the effects of its run are
/// unknown.
[[nodiscard]] bool withdraw(
    pg::Tx& tx, std::string_view queue, core::ScopeId scope_id, core::Uuid const& ref);

/// As the other `withdraw`, for the jobs of `ref` in several queues: removes all of them, or none if one of
/// them has a lease. Returns the queues of the removed jobs.
[[nodiscard]] std::vector<std::string> withdraw(
    pg::Tx& tx, std::span<std::string_view const> queues, core::ScopeId scope_id, core::Uuid const& ref);

/// A job that is leased to this process. No other process runs the job before `lease_until`. All times are by
/// the database's clock.
struct Claim {
    std::string queue;
    core::ScopeId scope_id{};
    core::Uuid ref;
    unsigned attempts = 0; ///< number of runs started, including this one
    core::Time run_at;     ///< when the job was due, or when the lease of its last run ended
    core::Time lease_until;
    core::Uuid token; ///< identifies the lease
    /// The W3C `traceparent` of the request that caused the job, for the log. The job does not store it. The
    /// handler sets it from the row to which `ref` refers. Empty if there is no trace or it is not known yet.
    std::string traceparent{};
};

/// What to claim, and what is running already.
struct ClaimRequest {
    std::string_view queue;
    std::size_t limit = 1;         ///< maximum number of jobs
    std::size_t max_per_scope = 1; ///< maximum number of jobs of one scope, including `running`
    std::map<core::ScopeId, std::size_t> running; ///< per scope
    /// The claim starts with the first scope id above this one. Scopes take turns in the order of their ids.
    core::ScopeId after_scope{};
    std::chrono::milliseconds lease{60'000};
    bool include_expired = true; ///< whether to claim also jobs whose lease has ended
};

struct ClaimResult {
    std::vector<Claim> claims;
    core::ScopeId next_scope{}; ///< `after_scope` of the next request
    /// The round has reached the last scope, and the next round begins with the first scope.
    bool end = true;
};

/// Leases due jobs (`FOR UPDATE SKIP LOCKED`), oldest first within a scope. Takes jobs from at most 64 scopes
/// at a time. Each scope costs one index probe, regardless of its number of jobs. While fewer than 128 jobs
/// are due, only the scopes of these jobs are visited. Otherwise, the 64 scopes may include scopes that only
/// have jobs due later.
ClaimResult claim(pg::Tx& tx, ClaimRequest const& request);

/// Ends a claim. Deletes the job or, if it was enqueued again during the run, schedules its next run. Returns
/// false if the lease was lost. In this case the caller must roll back the transaction, because another
/// worker may have run the job.
[[nodiscard]] bool complete(pg::Tx& tx, Claim const& claim);

/// Ends a claim and makes its job due `delay` from now. If the job was enqueued again during the run for an
/// earlier time, it is due at that time. `counted`: whether the run counts as an attempt. Returns false like
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
    pg::Tx& tx, std::span<core::ScopeId const> scopes, core::Time before, std::size_t limit);

/// Releases claims whose jobs were not started. The jobs are due as before the claim, and no attempt is
/// counted. Skips claims whose lease was lost.
void give_back(pg::Tx& tx, std::span<Claim const> claims);

/// Extends the leases that are still held. They then end `lease` from now. Skips jobs whose rows another
/// transaction has locked, because that transaction may be waiting for a lock of the jobs' tenant. Returns
/// the number of extended leases.
std::size_t renew(pg::Tx& tx, std::span<Claim const> claims, std::chrono::milliseconds lease);

} // namespace jobs
