#pragma once

#include "audit/audit.hpp"
#include "core/clock.hpp"
#include "core/scope.hpp"
#include "core/user_id.hpp"
#include "domain/entitlement.hpp"
#include "domain/subscriber.hpp"
#include "pg/tx.hpp"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace billing::ingest {

/// The result of a sync in one environment.
struct SyncResult {
    core::Scope scope;
    std::vector<EntitlementChange> writes; ///< includes confirmed, unchanged entitlements

    /// The audit entry `entitlements.synced` with the statuses before and after. nullopt: nothing changed.
    std::optional<audit::Entry> audit_entry(core::UserId const& user_id) const;
};

/// Sets a user's entitlements from the purchase provider to the state in `subscriber`, in both environments,
/// and publishes the changes. Writes nothing in an environment in which the user's account was deleted. Takes
/// the locks of both scopes. `asked_at`: the time just before the request to the provider. `traceparent` may
/// be empty. The transaction must see both scopes.
std::array<SyncResult, 2> apply_sync(pg::Tx& tx, core::TenantId tenant_id, core::UserId const& user_id,
    Subscriber const& subscriber, core::Time asked_at, std::string const& traceparent, core::Time now);

} // namespace billing::ingest
