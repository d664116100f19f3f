#pragma once
// Only JobHandlers uses this header.

#include "core/clock.hpp"
#include "jobs/async_worker.hpp"
#include "pg/tx.hpp"
#include "workers/deps.hpp"

#include <span>
#include <stop_token>
#include <vector>

namespace notify {

/// Enqueues pushes for the carriers of their users' devices. Handles the jobs of `queue_of(Channel::push)`:
/// scheduled pushes that are due, and pushes whose user had no device when they were accepted. A push whose
/// user has no device fails with `NO_DEVICES`. Each transaction handles many jobs.
class PushResolver {
public:
    explicit PushResolver(WorkerDeps const& deps) : deps_(deps) {}

    /// The options of the worker, which this object must outlive.
    jobs::AsyncWorkerOptions options() const;

    /// As jobs::AsyncHandler::begin.
    void begin(std::vector<jobs::Claim> claims, jobs::AsyncWorker& worker, std::stop_token const& stop);

private:
    WorkerDeps const& deps_;
};

/// Enqueues the pushes of the runs (jobs::AsyncHandler::record).
void resolve_pushes(pg::Tx& tx, std::span<jobs::FinishedRun const* const> runs, core::Time now);

} // namespace notify
