#pragma once

#include "core/clock.hpp"
#include "core/id.hpp"
#include "core/scope.hpp"
#include "domain/access.hpp"
#include "domain/entitlement.hpp"
#include "pg/tx.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

/// Entitlements whose access ends or begins without an event, because time passes or a setting changes. The
/// column `entitlements.is_open` states whether the entitlement gave access when it was last written: each
/// write of a row sets it, and these functions correct it.
namespace billing::lapses {

/// The queue of the jobs that close a scope's lapsed entitlements. Their ref is the nil UUID.
inline constexpr char const* queue = "lapses";

/// The queue of the walks through a scope's entitlements after a change of settings. A job's ref is the id of
/// the entitlement after which the walk continues.
inline constexpr char const* reopening_queue = "reopenings";

/// The scopes among `scopes` that have an open entitlement whose access ended at `now` or before, by the
/// settings of its tenant. The transaction must see both scopes of each tenant.
std::vector<core::ScopeId> scopes_due(pg::Tx& tx, std::span<core::ScopeId const> scopes, core::Time now);

/// Maximum number of entitlements that `close` changes.
inline constexpr std::size_t max_closed = 200;

/// Closes entitlements of the scope whose access ended at `now` or before, and returns them. If it returns
/// `max_closed`, there may be more. The revisions stay, because no event has changed the entitlements. The
/// caller holds the scope's lock.
std::vector<Entitlement> close(
    pg::Tx& tx, core::ScopeId scope_id, AccessSettings const& settings, core::Time now);

/// Opens the closed entitlements that give access at `now`. Examines a limited number of entitlements, in the
/// order of their ids, after the id `after`. Returns the id after which to continue; nullopt: there are no
/// more. The caller holds the scope's lock.
std::optional<core::Uuid> reopen(pg::Tx& tx, core::ScopeId scope_id, AccessSettings const& settings,
    core::Time now, core::Uuid const& after);

/// Starts the walks through both scopes of the tenant. Call it in the transaction that changes a setting of
/// AccessSettings. A longer leeway, or access for subscriptions that are past due, may give access to
/// entitlements that are closed. They must be open, so that the end of this access is announced and counted.
void enqueue_reopening(pg::Tx& tx, core::TenantId tenant_id);

} // namespace billing::lapses
