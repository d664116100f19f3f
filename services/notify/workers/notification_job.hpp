#pragma once
// Only the job handlers use this header: the beginning and the ends of the jobs of notifications, which the
// handlers of all channels share.

#include "core/clock.hpp"
#include "core/scope.hpp"
#include "domain/notification.hpp"
#include "domain/retry.hpp"
#include "domain/send_result.hpp"
#include "jobs/worker.hpp"
#include "pg/tx.hpp"
#include "storage/notifications.hpp"
#include "workers/deps.hpp"

#include <exception>
#include <optional>
#include <span>
#include <vector>

namespace notify {

/// One attempt to send an email or a text message.
struct Attempt {
    core::Time began;
    SendResult result;
};

/// What follows from an attempt.
struct Followup {
    jobs::Outcome::Kind kind{}; ///< of the job's outcome
    core::Time again;           ///< `Kind::retry`: when the next attempt is made
    std::optional<Status> to;   ///< the new status of the notification, if it changes
};

/// Decides what follows from an attempt for `n`.
Followup followup_of(core::Clock const& clock, Notification const& n, Attempt const& attempt);

/// Fails the notification of a job with `failures::internal`. A push that has reached some devices fails only
/// at the other devices. Called if the outcome of the job's run cannot be written
/// (`jobs::AsyncWorkerOptions::on_dead`).
void fail_given_up(pg::Tx& tx, jobs::Claim const& claim, core::Time now);

/// The notifications of jobs.
std::vector<notifications::Key> keys_of(std::span<jobs::Claim const> claims);

/// Logs an unexpected exception of a job's run.
void log_failure(observe::Logger& logger, jobs::Claim const& claim, std::exception_ptr const& failure);

} // namespace notify
