#pragma once

#include "core/clock.hpp"
#include "core/id.hpp"
#include "core/scope.hpp"
#include "core/user_id.hpp"
#include "domain/source.hpp"
#include "domain/subscription.hpp"
#include "pg/tx.hpp"

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// The table `syncs`. A row contains the lease of a user whose purchases are being fetched, and the user's
/// delay, the time before which the reconciler must not sync the user as overdue. The row with the empty user
/// id has the pauses of the tenant. Row-level security shows the rows of the tenants whose scopes the
/// transaction sees. `now` is jobs::now, because the clocks of replicas differ.
///
/// A user is overdue if an entitlement from purchases, in either environment, has ended `overdue_after` ago,
/// its grace period too, and its state is not final: it is active, paused, or in a billing issue. The stores
/// stop collecting a payment after `issue_time` at most.
namespace billing::syncs {

/// The exclusive right to sync one user. It ends with `complete`, with `release`, or at `leased_until`.
struct Lease {
    core::TenantId tenant_id{};
    core::UserId user_id;
    core::Uuid owner;
};

/// How long a sync may take: longer than the requests to both providers and the transaction together.
inline constexpr std::chrono::seconds lease_time{45};

/// Time between the end of a purchase and the sync. The sync waits because the provider's event may still
/// arrive.
inline constexpr std::chrono::seconds overdue_after{15};
inline constexpr std::chrono::days issue_time{62};

/// The delay of a user who is still overdue after a sync, and of a user who is overdue only because of a
/// pause.
inline constexpr std::chrono::hours wait_if_overdue{1}, wait_if_paused{24};

/// Acquires the lease of a user. nullopt while another sync holds it.
std::optional<Lease> acquire(
    pg::Tx& tx, core::TenantId tenant_id, core::UserId const& user_id, core::Time now);

/// Acquires the lease of an overdue user. Users with a lease or a delay are left out; all users are, if the
/// tenant has a pause for purchases. The user with the earliest end comes first. nullopt if there is no such
/// user.
std::optional<Lease> acquire_overdue(pg::Tx& tx, core::TenantId tenant_id, core::Time now);

/// Ends a lease after a successful sync, and clears the user's delay. Changes nothing if the lease is no
/// longer held.
void complete(pg::Tx& tx, Lease const& lease);

/// Ends a lease. Changes nothing if the lease is no longer held. `not_before`: when `acquire_overdue` may
/// return the user again; nullopt: the user's delay stays.
void release(pg::Tx& tx, Lease const& lease, std::optional<core::Time> not_before = std::nullopt);

/// How long a user who was just synced must wait for the next sync; nullopt if the user is not overdue.
std::optional<std::chrono::hours> wait_after_sync(
    pg::Tx& tx, core::TenantId tenant_id, core::UserId const& user_id, core::Time now);

/// Stops the reconciler from asking the provider of `source` for any user of the tenant before `until`.
void pause(pg::Tx& tx, core::TenantId tenant_id, Source source, core::Time until);

/// Ends the effect of `pause`.
void resume(pg::Tx& tx, core::TenantId tenant_id, Source source);

/// The ids of the tenants of `scopes` with work for the reconciler, in ascending order: an overdue user, or a
/// user who must be synced because of an event (sync_requests.hpp). Only tenants with the API key for it, and
/// without a pause. The transaction must see all of `scopes`.
std::vector<core::TenantId> tenants_with_work(
    pg::Tx& tx, std::span<core::ScopeId const> scopes, core::Time now);

/// The stored subscriptions of the payments provider with these ids; missing ones are left out.
std::vector<Subscription> subscriptions_by_id(
    pg::Tx& tx, core::ScopeId scope_id, std::span<std::string const> ids);

} // namespace billing::syncs
