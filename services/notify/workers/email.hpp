#pragma once
// Only JobHandlers uses this header.

#include "core/fair_slots.hpp"
#include "core/scope.hpp"
#include "core/thread_pool.hpp"
#include "domain/carrier_breaker.hpp"
#include "jobs/async_worker.hpp"
#include "mail/domain_lanes.hpp"
#include "mail/mailer.hpp"
#include "storage/notification_attachments.hpp"
#include "workers/delivery_latency.hpp"
#include "workers/notification_job.hpp"

#include <boost/asio/awaitable.hpp>

#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

namespace notify {

/// Translates the result of sending an email into a SendResult.
SendResult result_of(mail::SendResult sent);

/// Sends emails. Handles the jobs of `queue_of(Channel::email)`. No thread waits for the mail server: each
/// run is a coroutine on `WorkerDeps::io`. The emails that are claimed together are read in one transaction,
/// and their outcomes are written in one transaction (`record_message_changes`).
///
/// A run makes one attempt to send one email. The sender's address is in the scope's custom domain if this
/// domain is verified, else it is the shared sender's address. An email is untried in these cases:
/// - The mail server cannot be reached or refuses the session. The email keeps its place for an hour after it
///   was due. While the server's breaker is open, one email at a time is sent as a probe.
/// - The recipient's domain throttles (mail::DomainLanes), or too many emails or bytes of emails wait in this
///   process. The email keeps its place for a day.
/// - A stop of the process interrupts the attempt. The email keeps its place.
class EmailHandler {
public:
    EmailHandler(WorkerDeps const& deps, DeliveryLatencies& latencies);

    /// The options of the worker, which this object must outlive.
    jobs::AsyncWorkerOptions options() const;

    /// As jobs::AsyncHandler::begin.
    void begin(std::vector<jobs::Claim> claims, jobs::AsyncWorker& worker, std::stop_token const& stop);

private:
    struct Run;
    using RunPtr = std::shared_ptr<Run>;

    std::vector<RunPtr> load(std::vector<jobs::Claim> const& claims,
        std::map<core::ScopeId, core::Scope> const& scopes, jobs::AsyncWorker& worker) const;
    asio::awaitable<void> run(RunPtr run);
    asio::awaitable<jobs::FinishedRun> attempt(Run& run);
    asio::awaitable<jobs::FinishedRun> send(
        Run& run, std::vector<notification_attachments::Row> rows, std::optional<mail::SendResult>& sent);
    asio::awaitable<std::optional<SendResult>> read_files(
        Run& run, std::vector<notification_attachments::Row>& rows);
    asio::awaitable<mail::SendResult> submit(Run& run, std::vector<notification_attachments::Row> rows);
    void note(mail::SendResult const& sent, bool probe);
    jobs::FinishedRun end_of(Run const& run, SendResult const& result) const;
    jobs::FinishedRun untried(Run const& run, std::chrono::milliseconds wait, std::string const& reason,
        std::chrono::hours longest) const;
    jobs::FinishedRun interrupted() const;
    jobs::FinishedRun server_is_down(Run const& run) const;

    WorkerDeps const& deps_;
    mail::DomainLanes lanes_;
    CarrierBreaker breaker_;  ///< of the mail server; used by the coroutines
    std::string down_reason_; ///< why the mail server could not be used last; used by the coroutines
    core::FairSlots with_files_;
    DeliveryLatency const latency_;
    core::ThreadPool readers_; ///< threads that read files
};

} // namespace notify
