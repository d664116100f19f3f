#pragma once
// Only the job handlers use this header: the changes of carrier configurations that follow from the carriers'
// responses in one run.

#include "core/clock.hpp"
#include "core/id.hpp"
#include "core/scope.hpp"
#include "domain/credential.hpp"
#include "pg/tx.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace notify {

/// A carrier that refused the scope's credential in this run, or that is already paused. Pushes wait for a
/// new credential.
struct PausedCarrier {
    Carrier carrier{};
    core::Time seen; ///< `updated_at` of its credential
    /// The carrier's reason, if the carrier refused the credential in this run.
    std::optional<std::string> refused;
};

/// A run whose carrier is paused.
struct PausedRun {
    core::ScopeId scope_id{};
    PausedCarrier carrier;
    std::optional<core::Uuid> waiting; ///< the `ref` of its job, if the job goes on after the pause
};

/// Pauses the carriers that refused a scope's credential. The end of a pause makes the waiting jobs due. If a
/// credential was replaced or a pause ended during a run, its job is made due here. `queue_of`: the queue of
/// the jobs.
void write_pauses(
    pg::Tx& tx, std::span<PausedRun const> runs, std::string_view (*queue_of)(Carrier), core::Time now);

} // namespace notify
