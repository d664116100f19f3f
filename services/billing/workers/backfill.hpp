#pragma once

#include "core/clock.hpp"
#include "crypto/keyring.hpp"
#include "jobs/worker.hpp"
#include "observe/log.hpp"
#include "providers/payments_api.hpp"

#include <chrono>
#include <cstdint>
#include <optional>

namespace pg {
class Database;
}

/// Carries out backfills (storage/backfills.hpp): lists the tenant's subscriptions at the payments provider,
/// page by page, and applies them in small transactions. Each of these transactions also records the position
/// and the counts. So a backfill continues at its position after a crash, and counts no subscription twice.
///
/// A run of the job ends after a short time, so that the tenants take turns, and the next run continues. If
/// the provider has deleted the subscription after which the list continues, the backfill starts again: the
/// subscriptions that it has stored already are unchanged then. If
/// the provider does not answer, the tenant has removed its API key, or the tenant is suspended, the backfill
/// waits. It fails if the provider refuses a request, or after `give_up_after` without progress.
namespace billing::backfill {

/// How long a run may begin to fetch pages and to apply subscriptions.
inline constexpr std::chrono::seconds run_time{20};

/// The maximum number of subscriptions that one transaction applies. The tenant's events wait for it.
inline constexpr std::size_t subscriptions_per_transaction = 10;

/// After this time without progress the backfill fails.
inline constexpr std::chrono::hours give_up_after{72};

/// Dependencies of the worker; all outlive it.
struct Deps {
    pg::Database& db;
    PaymentsApi const& api;
    crypto::Keyring const& keyring;
    core::Clock const& clock;
    observe::Logger& logger;
};

/// The pause before the next run of a backfill that waits: about as long as it has made no progress, from 5 s
/// to 10 min, and at least the `Retry-After` of the provider. `entropy` is any random number, for the jitter.
std::chrono::milliseconds pause_after(core::Time::duration without_progress,
    std::optional<std::chrono::seconds> retry_after, std::uint64_t entropy) noexcept;

/// For ServiceBase::add_worker: the options and the handler of `backfills::queue`.
jobs::WorkerOptions worker_options();
jobs::Handler handler(Deps deps);

} // namespace billing::backfill
