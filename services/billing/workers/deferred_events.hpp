#pragma once

#include "core/clock.hpp"
#include "jobs/periodic.hpp"
#include "jobs/worker.hpp"

namespace pg {
class Database;
}

/// Applies the events that arrived while their tenant was suspended, after the tenant has resumed. A periodic
/// task finds the scopes that have such events, and enqueues one job per scope. So scopes take turns, and an
/// event that fails delays only its own scope.
namespace billing::deferred_events {

inline constexpr char const* queue = "deferred-events";

/// The maximum number of events that one run of a job applies.
inline constexpr unsigned events_per_run = 50;

/// Dependencies; all outlive the worker and the task.
struct Deps {
    pg::Database& db;
    core::Clock const& clock;
};

/// For ServiceBase::add_worker.
jobs::WorkerOptions worker_options();
jobs::Handler handler(Deps deps);

/// For ServiceBase::add_periodic.
jobs::PeriodicOptions periodic_options();
jobs::Periodic::Step step(Deps deps);

} // namespace billing::deferred_events
