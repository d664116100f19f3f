#pragma once

#include "audit/audit.hpp"
#include "core/clock.hpp"
#include "core/scope.hpp"
#include "core/user_id.hpp"
#include "domain/access.hpp"
#include "domain/entitlement.hpp"
#include "domain/subscriber.hpp"
#include "ingest/fetched_subscriptions.hpp"
#include "pg/tx.hpp"
#include "providers/payments_api.hpp"
#include "providers/purchases_api.hpp"
#include "storage/syncs.hpp"

#include <boost/json/value.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

/// A sync in three steps: `start_sync` reads what the requests need, `fetch_purchases` and `fetch_payments`
/// ask the providers, and `apply_sync` stores the results.
namespace billing::ingest {

/// A stored subscription of the payments provider that has not ended.
struct KnownSubscription {
    core::Environment environment{};
    std::string id;
};

/// What a sync reads before it asks the providers.
struct SyncStart {
    core::UserId user_id;
    core::Time sent_at;                           ///< by the clock that stored rows have
    std::vector<KnownSubscription> subscriptions; ///< of the user; at most `max_known_subscriptions`
};

inline constexpr std::size_t max_known_subscriptions = 100;

/// The transaction must see both scopes, and should be the one that acquires the lease.
SyncStart start_sync(pg::Tx& tx, core::TenantId tenant_id, core::UserId const& user_id);

/// The answer of the purchase provider.
struct FetchedPurchases {
    Subscriber subscriber;
    core::Time asked_at;  ///< just before the request, by the clock of this process
    core::Time watermark; ///< as `SyncTimes::watermark`
};

/// The answer of the payments provider.
struct FetchedPayments {
    std::vector<boost::json::value> subscriptions;
    /// Subscriptions that are stored, and that the provider does not know.
    std::vector<KnownSubscription> missing;
    core::Time asked_at;  ///< as above
    core::Time watermark; ///< as above
};

/// Asks the purchase provider for all purchases of the user. Blocks. Throws ProviderApiError.
FetchedPurchases fetch_purchases(PurchasesApi const& api, SyncStart const& start, core::Secret const& api_key,
    core::Clock const& clock, std::stop_token const& stop = {}, std::string const& traceparent = {});

/// Asks the payments provider for the subscriptions with the user's id, and for each stored subscription of
/// the user. A stored subscription counts as missing only if the API key is one of its environment:
/// keys of live mode do not see objects of test mode, and the other way round. Blocks. Throws
/// ProviderApiError, also if a subscription is malformed.
FetchedPayments fetch_payments(
    PaymentsApi const& api, SyncStart const& start, PaymentsCall const& call, core::Clock const& clock);

/// The answers of the providers that were asked.
struct FetchedState {
    std::optional<FetchedPurchases> purchases;
    std::optional<FetchedPayments> payments;
};

/// The result of a sync in one environment.
struct SyncResult {
    core::Scope scope;
    AccessSettings settings;                  ///< of the tenant
    std::vector<EntitlementChange> changes{}; ///< each entitlement once; without unchanged entitlements

    /// The audit entry `entitlements.synced` with the statuses before and after. nullopt: nothing changed.
    std::optional<audit::Entry> audit_entry(core::UserId const& user_id) const;
};

/// The lease and the times of a sync that is stored.
struct SyncContext {
    syncs::Lease const& lease;
    core::Time sent_at;      ///< SyncStart::sent_at
    std::string traceparent; ///< may be empty
    core::Time now;          ///< by the clock of this process
    /// Whether purchases that have not changed are archived, too. Then the sync makes events stale that
    /// happened before its request and arrive later.
    bool confirms = true;
};

/// Sets the user's entitlements to the fetched state, in both environments, archives what was found as events
/// of the type SYNC, and publishes the changes. Deletes the user's sync requests that were made before the
/// request, and ends the lease. Writes nothing in an environment in which the user's account was deleted.
/// Takes the locks of both scopes. The transaction must see both scopes.
std::array<SyncResult, 2> apply_sync(pg::Tx& tx, SyncContext const& context, FetchedState const& fetched);

} // namespace billing::ingest
