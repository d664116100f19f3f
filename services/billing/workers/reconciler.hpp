#pragma once

#include "core/clock.hpp"
#include "crypto/keyring.hpp"
#include "jobs/periodic.hpp"
#include "jobs/worker.hpp"
#include "observe/log.hpp"
#include "providers/purchases_api.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

namespace pg {
class Database;
}

/// Syncs overdue users with the purchase provider. A user is overdue if a purchase should have ended or been
/// renewed, but no event about it arrived. A periodic task finds the tenants that have overdue users, and
/// enqueues one job per tenant. So the replicas share the work, and only one replica handles a tenant at a
/// time.
namespace billing::reconciler {

inline constexpr char const* queue = "reconcile";

/// Time between the end of a purchase and the sync. The sync waits because the provider's event may still
/// arrive.
inline constexpr std::chrono::seconds overdue_after{15};
/// The maximum number of a tenant's users that one run syncs, and the pause between two runs.
inline constexpr unsigned users_per_run = 5;
inline constexpr std::chrono::seconds between_runs{1};

/// Dependencies of the reconciler; all outlive it.
struct Deps {
    pg::Database& db;
    PurchasesApi const& api;
    crypto::Keyring const& keyring;
    core::Clock const& clock;
    observe::Logger& logger;
};

/// When the reconciler may continue after a failed request. nullopt: without a delay.
struct RetryTimes {
    std::optional<core::Time> user_not_before;   ///< when this user may be synced again
    std::optional<core::Time> tenant_not_before; ///< when the tenant's users may be synced again
};

/// The delay after a failed request:
///
/// - After a response with `Retry-After`, no user of the tenant is synced before the stated time. After
///   status 429 without `Retry-After`, the delay is a backoff.
/// - After any other status 4xx except 404, no user of the tenant is synced for an hour. The usual cause is a
///   refused API key.
/// - After status 404 (unknown user), this user is synced again after 24 hours.
/// - After any other failure, this user is synced again after an hour, and the tenant's other users after a
///   backoff.
///
/// `attempts` counts the attempts of the tenant's job, from 1. `entropy` is any random number, for the jitter
/// of the backoff.
RetryTimes retry_times(
    PurchasesApiError const& error, unsigned attempts, core::Time now, std::uint64_t entropy) noexcept;

/// For ServiceBase::add_worker: the options and the handler of `queue`.
jobs::WorkerOptions worker_options();
jobs::Handler handler(Deps deps);

/// For ServiceBase::add_periodic.
jobs::PeriodicOptions periodic_options();
jobs::Periodic::Step step(pg::Database& db);

} // namespace billing::reconciler
