#pragma once
// Only the job handlers use this header: the beginning and the ends of the jobs of notifications, which the
// handlers of all channels share.

#include "core/scope.hpp"
#include "domain/notification.hpp"
#include "domain/send_result.hpp"
#include "jobs/worker.hpp"
#include "pg/tx.hpp"
#include "workers/deps.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace notify {

/// Reads the notification of a job, with its content, and sets `claim.traceparent`. Returns nullopt if there
/// is nothing to send (`awaits_sending`), or the notification was removed.
std::optional<Notification> find_unsent(pg::Tx& tx, jobs::Claim& claim);

/// One attempt to send an email or a text message.
struct Attempt {
    core::Time began;
    SendResult result;
};

/// The outcome of the job of `n` after an attempt. Status, event and webhook are written in the transaction
/// that ends the claim; `also`, if given, runs in that transaction.
jobs::Outcome end_attempt(WorkerDeps const& deps, core::ScopeId scope_id, Notification const& n,
    Attempt const& attempt, std::function<void(pg::Tx&)> also = {});

/// The outcome of the job of `n` if the notification is never sent: fails `n` with `reason`.
jobs::Outcome fail(
    WorkerDeps const& deps, core::ScopeId scope_id, Notification const& n, std::string_view reason);

/// The outcome of a notification's job whose run began at `began` and ended with an unexpected exception. The
/// run counts as a failed attempt, and the last attempt fails the notification with `failures::internal`. A
/// push that has reached some devices fails only at the other devices.
jobs::Outcome end_after_exception(WorkerDeps const& deps, jobs::Claim const& claim, core::Time began);

/// Fails the notification of a job as `end_after_exception` does after the last attempt. Called if the
/// outcome of the job's run cannot be written (`jobs::WorkerOptions::on_dead`).
void fail_given_up(pg::Tx& tx, jobs::Claim const& claim, core::Time now);

/// Writes the result of a run for `n`, which must be locked: the attempts, the provider's id and, if `to` is
/// set and `advance` permits it, the status `to`.
void write_progress(pg::Tx& tx, core::ScopeId scope_id, Notification& n, std::optional<Status> to,
    std::optional<std::string> const& detail, core::Time now);

} // namespace notify
