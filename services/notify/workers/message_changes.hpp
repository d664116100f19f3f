#pragma once
// Only the handlers of emails and text messages, and JobHandlers, use this header.

#include "core/clock.hpp"
#include "core/id.hpp"
#include "domain/notification.hpp"
#include "jobs/end_claims.hpp"
#include "pg/tx.hpp"

#include <optional>
#include <span>
#include <string>

namespace notify {

/// What a run of the job of an email or a text message changes in its notification: the note of its
/// FinishedRun.
struct MessageChange {
    core::Uuid id; ///< of the notification
    /// The change is dropped if a retry request has queued the notification again since this time. nullopt:
    /// the run has not read the notification.
    std::optional<core::Time> queued_at;
    std::optional<core::Uuid> ended_attempt{}; ///< SMS: the token of the attempt that has ended
    bool counts = false;                       ///< whether the run was an attempt
    std::optional<Status> to{};                ///< the new status
    std::string reason{};                      ///< of the failure
    std::string provider_id{};
    bool opted_out = false; ///< SMS: whether the number is suppressed from now on, with `reason`
};

/// Writes the changes of runs, in the transaction that ends their claims (jobs::AsyncHandler::record), in a
/// number of statements that does not depend on the number of runs, apart from suppressions. Locks all
/// notifications before it takes the lock of a scope, as transactions of the API do.
void record_message_changes(pg::Tx& tx, std::span<jobs::FinishedRun const* const> runs, core::Time now);

} // namespace notify
