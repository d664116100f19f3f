#pragma once

#include "core/clock.hpp"
#include "core/id.hpp"
#include "core/scope.hpp"
#include "core/user_id.hpp"
#include "pg/tx.hpp"

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// The table `syncs`. A row contains the lease of a user whose purchases are being fetched, and the user's
/// delay, the time before which the reconciler must not sync the user. The row with the empty user id is the
/// pause of the tenant. Row-level security shows the rows of the tenants whose scopes the transaction sees.
namespace billing::syncs {

/// The exclusive right to sync one user. It ends with `complete`, with `release`, or at `leased_until`.
struct Lease {
    core::TenantId tenant_id{};
    core::UserId user_id;
    core::Uuid owner;
};

/// How long a sync may take: longer than PurchasesApi::timeout and the transaction together.
inline constexpr std::chrono::seconds lease_time{30};

/// Acquires the lease of a user. nullopt while another sync holds it.
std::optional<Lease> acquire(pg::Tx& tx, core::TenantId tenant_id, core::UserId const& user_id,
    core::Time now, core::Time leased_until);

/// Acquires the lease of an overdue user. A user is overdue if an active entitlement from purchases, in
/// either environment, ended before `overdue`. Users with a lease, and users delayed by `release` or
/// `pause`, are left out. The user with the earliest end comes first. nullopt if there is no such user.
std::optional<Lease> acquire_overdue(
    pg::Tx& tx, core::TenantId tenant_id, core::Time overdue, core::Time now, core::Time leased_until);

/// Ends a lease after a successful sync, and clears the user's delay. Changes nothing if the lease is no
/// longer held.
void complete(pg::Tx& tx, Lease const& lease);

/// Ends a lease after a failed sync. Changes nothing if the lease is no longer held. `not_before`: when
/// `acquire_overdue` may return the user again.
void release(pg::Tx& tx, Lease const& lease, std::optional<core::Time> not_before = std::nullopt);

/// Whether the user is overdue, regardless of delays and leases.
bool is_overdue(pg::Tx& tx, core::TenantId tenant_id, core::UserId const& user_id, core::Time overdue);

/// Makes `acquire_overdue` return no user of the tenant before `until`.
void pause(pg::Tx& tx, core::TenantId tenant_id, core::Time until);

/// Ends the effect of `pause`.
void resume(pg::Tx& tx, core::TenantId tenant_id);

/// The ids of the tenants of `scopes` that have a `purchasesApiKey` and an overdue user, in ascending order.
/// The transaction must see all of `scopes`.
std::vector<core::TenantId> tenants_overdue(
    pg::Tx& tx, std::span<core::ScopeId const> scopes, core::Time overdue, core::Time now);

} // namespace billing::syncs
