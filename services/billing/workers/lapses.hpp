#pragma once

#include "core/clock.hpp"
#include "jobs/periodic.hpp"
#include "jobs/worker.hpp"

namespace pg {
class Database;
}

/// Announces the end of access that no event reports: the webhook event `entitlement.changed` with the reason
/// `lapsed`. A periodic task finds the scopes that have such entitlements, and enqueues one job per scope. So
/// the replicas share the work, and scopes take turns.
///
/// A job closes a bounded number of entitlements in one transaction, together with the deliveries to the
/// scope's webhooks. The transaction holds the scope's lock and searches under it, so each end is announced
/// once, also by several replicas and after a crash.
///
/// A change of settings can end access, which is announced in the same way, or give access again, which is
/// not announced: settings, like the catalog, apply to all entitlements when they are read. For the second
/// case, `lapses::enqueue_reopening` starts a walk through the tenant's entitlements.
namespace billing::lapse_worker {

/// Dependencies; all outlive the workers. The clock decides what has lapsed, as it decides `isActive` in
/// responses.
struct Deps {
    pg::Database& db;
    core::Clock const& clock;
};

/// For ServiceBase::add_worker: the options and the handler of lapses::queue.
jobs::WorkerOptions worker_options();
jobs::Handler handler(Deps deps);

/// As these, of lapses::reopening_queue.
jobs::WorkerOptions reopening_options();
jobs::Handler reopening_handler(Deps deps);

/// For ServiceBase::add_periodic.
jobs::PeriodicOptions periodic_options();
jobs::Periodic::Step step(Deps deps);

} // namespace billing::lapse_worker
