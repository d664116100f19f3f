#pragma once
// Only JobHandlers uses this header.

#include "core/cache.hpp"
#include "core/scope.hpp"
#include "jobs/async_worker.hpp"
#include "pg/batcher.hpp"
#include "sms/options.hpp"
#include "sms/send_limits.hpp"
#include "storage/sms_attempts.hpp"
#include "workers/notification_job.hpp"

#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace tenancy {
struct Tenant;
}

namespace notify {

/// Translates the result of sending a text message into a SendResult. If the message may have been created
/// although the request failed, the verdict is `unknown`.
SendResult result_of(sms::SendResult const& sent);

/// The status callback URL for Twilio: `webhook_url` with the scope, the notification and its `queued_at`
/// (Unix microseconds; a retry has another value) as query. Empty if `webhook_url` is empty.
std::string status_callback(std::string const& webhook_url, core::ScopeId scope_id, Notification const& n);

/// Sends text messages. Handles the jobs of `queue_of(Channel::sms)`. No thread waits for the provider: each
/// run is a coroutine on `WorkerDeps::io`.
///
/// A run makes one attempt to send one message. Suppressed numbers get no message. If the provider answers
/// that a number has opted out, the number is suppressed. All tenants share one sender at Twilio, so messages
/// beyond the sender's limits wait, for at most `longest_sms_wait`. A message beyond the tenant's limit of
/// the day fails. Messages of a sandbox are not sent to phones (sms::SendLimits).
///
/// A message is never sent twice. The beginning of the attempt is stored before the request
/// (`sms_attempts::begin_batch`), and its end with the outcome. If a run finds an attempt without an end, the
/// process of that attempt has died, or has lost its lease. The message may have been sent, so it fails with
/// `failures::no_answer`.
class SmsHandler {
public:
    SmsHandler(sms::Options const& options, WorkerDeps const& deps);

    /// The options of the worker, which this object must outlive.
    jobs::AsyncWorkerOptions options() const;

    /// As jobs::AsyncHandler::begin.
    void begin(std::vector<jobs::Claim> claims, jobs::AsyncWorker& worker, std::stop_token const& stop);

private:
    /// The state of a run.
    struct Run {
        enum class Stage : std::uint8_t {
            preparing, ///< no attempt has begun
            beginning, ///< the beginning of the attempt may be stored; nothing was sent
            sending,   ///< the message may have been sent
        };

        jobs::Claim claim;
        jobs::AsyncWorker& worker;
        std::stop_token stop;
        core::Time began;
        std::optional<Notification> notification; ///< once it is read
        Stage stage = Stage::preparing;
    };

    using RunPtr = std::shared_ptr<Run>;

    asio::awaitable<void> run(RunPtr run);
    asio::awaitable<jobs::FinishedRun> attempt(Run& run);
    asio::awaitable<jobs::FinishedRun> send(
        tenancy::Tenant const& tenant, core::Scope const& scope, Run& run);
    jobs::FinishedRun end_of(Run const& run, SendResult const& result, bool opted_out) const;
    jobs::FinishedRun end_interrupted(Run const& run) const;
    jobs::FinishedRun end_after(Run const& run, std::exception_ptr const& failure) const;

    /// Counts the message if the limits allow it. Returns nullopt while the limits cannot be checked.
    asio::awaitable<std::optional<sms::SendLimits::Permit>> permit(sms::SendLimits::Message const& message);
    /// The end of a run whose message a limit refused.
    jobs::FinishedRun refused(Notification const& n, sms::SendLimits::Permit const& permit) const;
    /// Logs a refusal, at most once a minute for each tenant and limit.
    void log(core::Scope const& scope, sms::Refusal refusal);
    asio::awaitable<void> settle(
        sms::SendLimits::Message const& message, sms::SendLimits::Permit const& permit, sms::Outcome outcome);

    struct Logged {};

    WorkerDeps const& deps_;
    std::string const webhook_url_;
    std::unique_ptr<sms::Sender> const sender_, sandbox_sender_;
    sms::SendLimits limits_;
    pg::Batcher<notifications::Key, std::optional<sms_attempts::Message>> load_;
    pg::Batcher<sms_attempts::Attempt, bool> begin_;
    core::Cache<std::string, Logged> logged_{
        1'000, std::chrono::minutes(1)}; ///< refusals, by tenant and limit
};

} // namespace notify
