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
#include "workers/deps.hpp"

#include <optional>
#include <string>

namespace notify {

/// One attempt to send an email or a text message.
struct Attempt {
    core::Time began;
    SendResult result;
};

/// What follows from an attempt.
struct Followup {
    NextStep step{};
    core::Time again;         ///< `NextStep::retry`: when the next attempt is made
    std::optional<Status> to; ///< the new status of the notification, if it changes
    core::Time now;           ///< when this was decided
};

/// Decides what follows from an attempt for `n`.
Followup followup_of(core::Clock const& clock, Notification const& n, Attempt const& attempt);

/// Fails the notification of a job with `failures::internal`. A push that has reached some devices fails only
/// at the other devices. Called if the outcome of the job's run cannot be written
/// (`jobs::AsyncWorkerOptions::on_dead`).
void fail_given_up(pg::Tx& tx, jobs::Claim const& claim, core::Time now);

/// Writes the result of a run for `n`, which must be locked: the attempts, the provider's id and, if `to` is
/// set and `advance` permits it, the status `to`.
void write_progress(pg::Tx& tx, core::ScopeId scope_id, Notification& n, std::optional<Status> to,
    std::optional<std::string> const& detail, core::Time now);

} // namespace notify
