#pragma once
// Only the job handlers use this header: the changes of carrier configurations that follow from the carriers'
// responses in one run.

#include "core/clock.hpp"
#include "core/scope.hpp"
#include "domain/credential.hpp"
#include "pg/tx.hpp"

#include <optional>
#include <span>
#include <string>

namespace notify {

/// A carrier that refused the scope's credential in this run, or that is already paused. Pushes wait for a
/// new credential.
struct PausedCarrier {
    Carrier carrier{};
    core::Time seen; ///< `updated_at` of its credential
    /// The carrier's reason, if the carrier refused the credential in this run.
    std::optional<std::string> refused;
};

/// Pauses the carriers that refused the scope's credential. Returns whether all of `carriers` are paused now
/// and stay paused until this transaction ends. If true, the end of the pause makes the pushes due that this
/// transaction leaves waiting.
bool pause(pg::Tx& tx, core::ScopeId scope_id, std::span<PausedCarrier const> carriers, core::Time now);

} // namespace notify
