#pragma once

#include "core/clock.hpp"
#include "crypto/keyring.hpp"
#include "jobs/periodic.hpp"
#include "jobs/worker.hpp"
#include "observe/log.hpp"
#include "providers/payments_api.hpp"
#include "providers/purchases_api.hpp"
#include "storage/sync_requests.hpp"

#include <chrono>
#include <cstdint>
#include <optional>

namespace pg {
class Database;
}

/// Syncs users with the providers:
///
/// - Users who must be synced because of an event (sync_requests.hpp), those of production first. The event
///   enqueues the job, so it runs at once.
/// - In turn with these, overdue users (syncs.hpp), with the purchase provider: purchases should have ended
/// or been renewed,
///   or may have left a billing issue or a pause, but no event about them arrived.
///
/// A periodic task finds the tenants that have such users, and enqueues one job per tenant. So the replicas
/// share the work, and only one replica handles a tenant at a time. A failure of one provider does not stop
/// the syncs with the other.
namespace billing::reconciler {

inline constexpr char const* queue = sync_requests::queue;

/// The maximum number of a tenant's users that one run syncs, and the pause between two runs.
inline constexpr unsigned users_per_run = 5;
inline constexpr std::chrono::seconds between_runs{1};

/// How long the requests to the payments provider for one user may take.
inline constexpr std::chrono::seconds payments_time_limit{20};

/// Dependencies of the reconciler; all outlive it.
struct Deps {
    pg::Database& db;
    PurchasesApi const& purchases_api;
    PaymentsApi const& payments_api;
    crypto::Keyring const& keyring;
    core::Clock const& clock;
    observe::Logger& logger;
};

/// When the reconciler may continue after a failed request. nullopt: without a delay.
struct RetryTimes {
    std::optional<core::Time> user_not_before;   ///< when this user may be synced again
    std::optional<core::Time> tenant_not_before; ///< when the provider may be asked for the tenant again
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
    ProviderApiError const& error, unsigned attempts, core::Time now, std::uint64_t entropy) noexcept;

/// For ServiceBase::add_worker: the options and the handler of `queue`.
jobs::WorkerOptions worker_options();
jobs::Handler handler(Deps deps);

/// For ServiceBase::add_periodic.
jobs::PeriodicOptions periodic_options();
jobs::Periodic::Step step(pg::Database& db);

} // namespace billing::reconciler
