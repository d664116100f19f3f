#pragma once

#include "core/clock.hpp"
#include "core/id.hpp"
#include "domain/credential.hpp"
#include "pg/database.hpp"

#include <string_view>

/// The columns of the table `platforms` that change because of the carriers' answers. A refused credential
/// pauses its platform (`paused_until`, `paused_reason`). Too many "token gone" answers stop pruning for the
/// credential (`pruning_stopped_at`).
namespace notify::platform_state {

/// The queue of resume jobs. A resume job makes the jobs of pushes due that waited for a paused platform.
inline constexpr std::string_view resume_queue = "notify.resume";

/// The platform that the `ref` of a resume job names.
PlatformKind resumed_kind(core::Uuid const& ref) noexcept;

/// Pauses the scope's platform `kind` until `until`. A pause that is in effect at `now` stays unchanged.
/// `seen` is the `updated_at` of the refused credential. Returns false and changes nothing if that credential
/// was replaced.
bool pause(pg::Tx& tx, std::int64_t scope_id, PlatformKind kind, core::Time seen, std::string_view reason,
    core::Time now, core::Time until);

/// Whether the pause of the credential `seen` is in effect at `now`. If true, the pause cannot end before
/// this transaction ends. So `resume` finds the pushes that this transaction leaves waiting.
bool holds(pg::Tx& tx, std::int64_t scope_id, PlatformKind kind, core::Time seen, core::Time now);

/// Ends the pause and enqueues the job that makes the waiting pushes due. Call this function in every
/// transaction that sets or removes the credential, even if there was no pause.
void resume(pg::Tx& tx, std::int64_t scope_id, PlatformKind kind);

/// From `now` until another credential is stored, the answers of the carrier `kind` no longer remove devices.
/// If pruning is already stopped, the stored time stays. Changes nothing if the credential whose `updated_at`
/// is `seen` was replaced.
void stop_pruning(pg::Tx& tx, std::int64_t scope_id, PlatformKind kind, core::Time seen, core::Time now);

} // namespace notify::platform_state
