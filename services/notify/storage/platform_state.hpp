#pragma once

#include "core/clock.hpp"
#include "core/id.hpp"
#include "pg/database.hpp"
#include "providers/credential.hpp"

#include <string_view>

/// What carriers' answers lead to in the table `platforms`: the pause of a platform whose credential is
/// refused (`paused_until`, `paused_reason`), and the end of pruning on the word of one that calls too many
/// devices gone (`pruning_stopped_at`).
namespace notify::platform_state {

/// The queue of the jobs that follow the end of a pause: what waited for it is sent.
inline constexpr std::string_view resume_queue = "notify.resume";

/// The platform that the `ref` of such a job names.
PlatformKind resumed_kind(core::Uuid const& ref) noexcept;

/// Nothing is sent through the scope's `kind` until `until`, or until the end of the pause that is under way
/// at `now`. `seen`: the `updated_at` of the credential that was refused. False, and nothing changes, when it
/// was replaced since.
bool pause(pg::Tx& tx, std::int64_t scope_id, PlatformKind kind, core::Time seen, std::string_view reason,
    core::Time now, core::Time until);

/// Whether the pause of the credential that was `seen` is still under way at `now`; if so it does not end
/// before this transaction does, so that `resume` finds what this one leaves waiting.
bool holds(pg::Tx& tx, std::int64_t scope_id, PlatformKind kind, core::Time seen, core::Time now);

/// Ends the pause, and has what waited for it sent now. To be called in the transaction that sets or removes
/// the credential, whether there was a pause or not.
void resume(pg::Tx& tx, std::int64_t scope_id, PlatformKind kind);

/// From `now` on, if not since longer, no device of the scope is removed on the word of `kind`, until another
/// credential is put there: nothing changes when the one that was `seen` was replaced since.
void stop_pruning(pg::Tx& tx, std::int64_t scope_id, PlatformKind kind, core::Time seen, core::Time now);

} // namespace notify::platform_state
