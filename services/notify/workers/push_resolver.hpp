#pragma once
// Only JobHandlers uses this header.

#include "jobs/async_worker.hpp"
#include "workers/deps.hpp"

namespace notify {

/// Enqueues pushes for the carriers of their users' devices. Handles the jobs of `queue_of(Channel::push)`:
/// scheduled pushes that are due, and pushes whose user had no device when they were accepted. A push whose
/// user has no device fails with `NO_DEVICES`. Each transaction handles many jobs.
class PushResolver {
public:
    explicit PushResolver(WorkerDeps const& deps) : deps_(deps) {}

    /// The options and the handler of the worker. This object must outlive the worker.
    jobs::AsyncWorkerOptions options() const;
    jobs::AsyncHandler handler();

private:
    WorkerDeps const& deps_;
};

} // namespace notify
