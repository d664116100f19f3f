#pragma once

#include "jobs/async_worker.hpp"
#include "jobs/worker.hpp"
#include "sms/options.hpp"
#include "workers/deps.hpp"

#include <memory>
#include <vector>

namespace notify {

/// The handlers of the jobs that send accepted notifications and broadcasts, with their queues. Each queue
/// has its own workers. So a provider that does not respond delays only its own messages, and a broadcast
/// does not delay direct sends.
///
/// A handler loads the notification, calls the provider, and derives the outcome with the rules in domain/.
/// In the transaction that ends the claim, the handler writes the status, the event and the webhook, removes
/// devices and suppresses numbers. If the process dies after the provider's response and before the commit,
/// the pushes and emails in flight are repeated. They get the same apns-id, collapse id or Message-ID. Text
/// messages in flight fail (SmsHandler). A notification that was acknowledged, opened or cancelled before the
/// run is not sent.
class JobHandlers {
public:
    JobHandlers(sms::Options const& sms, WorkerDeps const& deps);
    ~JobHandlers();
    JobHandlers(JobHandlers const&) = delete;
    JobHandlers& operator=(JobHandlers const&) = delete;

    struct Queue {
        jobs::WorkerOptions options;
        jobs::Handler handler;
    };

    /// The queues to run, for ServiceBase::add_worker. The handlers must not be called after this object was
    /// destroyed.
    std::vector<Queue> queues() const;

    struct AsyncQueue {
        jobs::AsyncWorkerOptions options;
        jobs::AsyncHandler handler;
    };

    /// The queues whose jobs use no thread while they wait. Otherwise as `queues`.
    std::vector<AsyncQueue> async_queues() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace notify
