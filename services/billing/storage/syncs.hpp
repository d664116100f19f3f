#pragma once

#include "audit/audit.hpp"
#include "core/clock.hpp"
#include "core/id.hpp"
#include "core/identity.hpp"
#include "domain/subscriber.hpp"
#include "domain/sync.hpp"
#include "pg/database.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// The table `syncs`, and the writes of a sync. The table has the users whose purchases are being fetched,
/// and the users that the reconciler must not sync before a stated time. Row-level security shows the rows of
/// the tenants whose scopes the transaction sees.
namespace billing::syncs {

/// The exclusive right to sync one user. It ends with `finish`, with `give_back`, or at `leased_until`.
struct Lease {
    std::int64_t tenant_id = 0;
    std::string user_id;
    core::Uuid owner;
};

/// Takes the lease of a user. nullopt while another sync holds it.
std::optional<Lease> take(
    pg::Tx& tx, std::int64_t tenant_id, std::string const& user_id, core::Time now, core::Time leased_until);

/// Takes the lease of an overdue user. A user is overdue if an active entitlement from the platform, in
/// either environment, ended before `overdue`. Users with a lease, and users delayed by `give_back` or
/// `pause`, are left out. The user with the earliest end comes first. nullopt if there is no such user.
std::optional<Lease> take_overdue(
    pg::Tx& tx, std::int64_t tenant_id, core::Time overdue, core::Time now, core::Time leased_until);

/// Ends a lease after a successful sync, and clears the user's delay. Changes nothing if the lease is no
/// longer held.
void finish(pg::Tx& tx, Lease const& lease);

/// Ends a lease after a failed sync. Changes nothing if the lease is no longer held. `not_before`: when
/// `take_overdue` may return the user again.
void give_back(pg::Tx& tx, Lease const& lease, std::optional<core::Time> not_before = std::nullopt);

/// Whether the user is overdue, regardless of delays and leases.
bool is_overdue(pg::Tx& tx, std::int64_t tenant_id, std::string const& user_id, core::Time overdue);

/// Makes `take_overdue` return no user of the tenant before `until`.
void pause(pg::Tx& tx, std::int64_t tenant_id, core::Time until);

/// Ends the effect of `pause`.
void resume(pg::Tx& tx, std::int64_t tenant_id);

/// The result of a sync in one environment.
struct Applied {
    core::Scope scope;
    std::vector<Synced> written; ///< includes confirmed, unchanged entitlements

    /// The audit entry `entitlements.synced` with the statuses before and after. nullopt: nothing changed.
    std::optional<audit::Entry> entry(std::string const& user_id) const;
};

/// Sets a user's entitlements from the platform to the state in `subscriber`, in both environments, and
/// publishes the changes. Takes the locks of both scopes. `asked_at`: the time just before the request to the
/// platform. The transaction must see both scopes.
std::array<Applied, 2> apply(pg::Tx& tx, std::int64_t tenant_id, std::string const& user_id,
    Subscriber const& subscriber, core::Time asked_at, std::string const& traceparent, core::Time now);

/// The ids of the tenants of `scopes` that have a `purchasesApiKey` and an overdue user, in ascending order.
/// The transaction must see all of `scopes`.
std::vector<std::int64_t> tenants_overdue(
    pg::Tx& tx, std::span<std::int64_t const> scopes, core::Time overdue, core::Time now);

} // namespace billing::syncs
