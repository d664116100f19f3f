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

/// The table `syncs`, whose purchases are being fetched and whose are not to be for a while, and what a fetch
/// changes. Its rows are found by the tenant of a scope that the transaction sees.
namespace billing::syncs {

/// The right to fetch one user's purchases, which nobody else has until it is given back or `leased_until`.
struct Lease {
    std::int64_t tenant_id = 0;
    std::string user_id;
    core::Uuid owner;
};

/// nullopt while somebody else has it.
std::optional<Lease> take(
    pg::Tx& tx, std::int64_t tenant_id, std::string const& user_id, core::Time now, core::Time leased_until);

/// The same for a user whom it is time to ask about: one with an active entitlement of the platform whose end
/// came before `overdue`, in either environment, and of whom nobody said otherwise by `give_back`. Those that
/// ended first come first. nullopt: there is none.
std::optional<Lease> take_overdue(
    pg::Tx& tx, std::int64_t tenant_id, core::Time overdue, core::Time now, core::Time leased_until);

/// Ends a lease, if it is still held, with a sync that went well: the user is as any other.
void finish(pg::Tx& tx, Lease const& lease);

/// Ends a lease, if it is still held, with one that did not. `not_before`: when `take_overdue` may yield the
/// user again.
void give_back(pg::Tx& tx, Lease const& lease, std::optional<core::Time> not_before = std::nullopt);

/// Whether the user has an entitlement that `take_overdue` would yield the user for, if nobody said
/// otherwise.
bool is_overdue(pg::Tx& tx, std::int64_t tenant_id, std::string const& user_id, core::Time overdue);

/// `take_overdue` yields nobody of the tenant before `until`.
void pause(pg::Tx& tx, std::int64_t tenant_id, core::Time until);

/// Ends what `pause` began.
void resume(pg::Tx& tx, std::int64_t tenant_id);

/// What a sync did in one environment.
struct Applied {
    core::Scope scope;
    std::vector<Synced> written; ///< also what was only confirmed

    /// `entitlements.synced` for the audit trail of the scope: which statuses were, and are now. nullopt:
    /// nothing changed.
    std::optional<audit::Entry> entry(std::string const& user_id) const;
};

/// Sets what the user has from the platform to what it says: both environments, under both scopes' locks,
/// with webhooks told of what changed. `asked_at`: before the platform was asked. The transaction sees both.
std::array<Applied, 2> apply(pg::Tx& tx, std::int64_t tenant_id, std::string const& user_id,
    Subscriber const& subscriber, core::Time asked_at, std::string const& traceparent, core::Time now);

/// Of the tenants of these scopes (the transaction sees all of them) those that have a `purchasesApiKey` and
/// a user whom `take_overdue` would yield, ascending.
std::vector<std::int64_t> tenants_overdue(
    pg::Tx& tx, std::span<std::int64_t const> scopes, core::Time overdue, core::Time now);

} // namespace billing::syncs
