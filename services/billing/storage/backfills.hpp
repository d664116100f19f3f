#pragma once

#include "core/clock.hpp"
#include "core/enum_names.hpp"
#include "core/id.hpp"
#include "core/scope.hpp"
#include "domain/source.hpp"
#include "pg/tx.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

/// The table `backfills`. A backfill fetches all subscriptions of a tenant from a provider. It belongs to the
/// tenant: row-level security shows the rows of the tenants whose scopes the transaction sees. The times are
/// those of the database's clock, `jobs::now`.
namespace billing::backfills {

using core::to_string;

/// The queue of the jobs that carry out backfills. A job's scope is the tenant's production scope, and its
/// `ref` is the id of the backfill.
inline constexpr char const* queue = "backfill";

/// How long a finished backfill is kept.
inline constexpr std::chrono::days retention{90};

enum class Status : std::uint8_t {
    queued,  ///< not started
    running, ///< started; also while it waits for the provider
    done,    ///< all subscriptions were fetched
    failed,  ///< ended early; `last_error` states why
};

constexpr auto enum_names(Status)
{
    return std::to_array<std::string_view>({"queued", "running", "done", "failed"});
}

/// Numbers of subscriptions.
struct Counts {
    std::int64_t processed = 0; ///< compared with the stored state
    std::int64_t changed = 0;   ///< whose stored state changed
    std::int64_t failed = 0;    ///< malformed
};

struct Backfill {
    core::Uuid id;
    Source source = Source::payments;
    std::optional<core::Time> since; ///< only subscriptions created at or after this time
    Status status = Status::queued;
    std::string last_id; ///< id of the last subscription that was applied; empty: none, or it has ended
    Counts counts;       ///< of the subscriptions up to `last_id`
    std::optional<core::Time> started_at;
    core::Time progress_at; ///< when the backfill was created, started, or last applied subscriptions
    std::optional<core::Time> completed_at;
    /// Why the backfill waits, or why it failed. Contains no value of the provider.
    std::optional<std::string> last_error;
    std::string traceparent; ///< of the request that created the backfill; may be empty
};

/// Creates a queued backfill and its job. Reads `id`, `source`, `since` and `traceparent`. Returns false and
/// does nothing while another backfill of the tenant is queued or running.
[[nodiscard]] bool insert(pg::Tx& tx, core::TenantId tenant_id, Backfill const& backfill);

std::optional<Backfill> find(pg::Tx& tx, core::TenantId tenant_id, core::Uuid const& id);

struct Started {
    Backfill backfill;
    core::Time now; ///< by the database's clock
};

/// Begins a run: the backfill is running from now on. nullopt if there is no such backfill, or it has ended.
std::optional<Started> begin(pg::Tx& tx, core::TenantId tenant_id, core::Uuid const& id);

/// The subscriptions after `from`, up to `to`.
struct Step {
    std::string from; ///< `last_id` before this step
    std::string to;
    Counts counts;
};

/// Records subscriptions in the transaction that applied them, and clears `last_error`. Returns false if the
/// backfill is not at `step.from`, or has ended. Then another worker has applied them, and the caller must
/// roll back, so that no subscription is counted twice.
[[nodiscard]] bool advance(pg::Tx& tx, core::TenantId tenant_id, core::Uuid const& id, Step const& step);

/// Lets the backfill start again at the first subscription, if it is at `from`. Keeps the number of changes.
void restart(pg::Tx& tx, core::TenantId tenant_id, core::Uuid const& id, std::string_view from);

/// Records why the backfill waits.
void set_error(pg::Tx& tx, core::TenantId tenant_id, core::Uuid const& id, std::string_view error);

/// End the backfill as done or failed. Change nothing if it has ended.
void complete(pg::Tx& tx, core::TenantId tenant_id, core::Uuid const& id);
void fail(pg::Tx& tx, core::TenantId tenant_id, core::Uuid const& id, std::string_view error);

/// Deletes at most `limit` backfills that belong to the tenants of these scopes and ended before `before`.
/// The transaction must see the scopes. Returns the number of deleted backfills.
std::size_t purge(pg::Tx& tx, std::span<core::ScopeId const> scopes, core::Time before, std::size_t limit);

} // namespace billing::backfills
