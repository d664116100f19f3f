#pragma once

#include "core/clock.hpp"
#include "crypto/keyring.hpp"
#include "jobs/periodic.hpp"
#include "jobs/worker.hpp"
#include "observe/log.hpp"
#include "pg/database.hpp"
#include "providers/purchases_api.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

/// Users whose purchases should have ended or been renewed by now, and of whom no event told, are synced with
/// the purchase platform. A periodic task looks for tenants who have such users; each of them is one job, so
/// that any number of replicas share the work and none asks for the same tenant as another.
namespace billing::reconciler {

inline constexpr char const* queue = "reconcile";

/// A user is asked about this long after the end: the platform's own event is on its way at that moment.
inline constexpr std::chrono::seconds patience{15};
/// The pace: so many users of a tenant a run, and a run no sooner than so long after the one before.
inline constexpr unsigned users_a_run = 5;
inline constexpr std::chrono::seconds between_runs{1};

/// What reconciling works with; all outlive it.
struct Deps {
    pg::Database& db;
    PurchasesApi const& api;
    crypto::Keyring const& keyring;
    core::Clock const& clock;
    observe::Logger& logger;
};

/// What follows from a platform that did not answer as it should; nullopt: nothing.
struct Setback {
    std::optional<core::Time> user_not_before;   ///< when this user is asked about again
    std::optional<core::Time> tenant_not_before; ///< when any of the tenant's is
};

/// 429, or any other answer with `Retry-After`: nobody of the tenant before that. A refusal of the key:
/// nobody for an hour. A user that it does not know: that one tomorrow. Any other: that user in an hour, the
/// others with back-off. `attempts`: of the tenant's job, from 1. `entropy`: any random number.
Setback after(
    PurchasesApiError const& error, unsigned attempts, core::Time now, std::uint64_t entropy) noexcept;

/// For Platform::add_worker: the options and the handler of `queue`.
jobs::WorkerOptions worker_options();
jobs::Handler handler(Deps deps);

/// For Platform::add_periodic.
jobs::PeriodicOptions periodic_options();
jobs::Periodic::Step step(pg::Database& db);

} // namespace billing::reconciler
