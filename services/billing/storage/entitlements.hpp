#pragma once

#include "core/clock.hpp"
#include "core/id.hpp"
#include "core/scope.hpp"
#include "domain/access.hpp"
#include "domain/entitlement.hpp"
#include "domain/entitlement_view.hpp"
#include "paging/cursor.hpp"
#include "pg/batch.hpp"
#include "pg/tx.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// The table `entitlements`. All writers hold the scope's lock (pg::lock_scope), so that rows read under the
/// lock are unchanged when written. A writer of both scopes of a tenant locks the smaller id first, so that
/// two writers cannot deadlock.
namespace billing::entitlements {

/// A user, as input of a batch.
struct UserKey {
    core::ScopeId scope_id{};
    core::UserId user_id;
};

/// Asks whether a user has a feature at `now`.
struct FeatureQuery {
    core::ScopeId scope_id{};
    core::UserId user_id;
    std::string feature;
    core::Time now;
    AccessSettings settings;
};

struct FeatureAccess {
    bool granted = false;
    std::optional<core::Time> until; ///< end of a granted feature; nullopt: no end
};

/// The maximum number of rows that a batch reads per user. The number is limited because every caller waits
/// for the whole batch.
inline constexpr std::size_t max_in_batch = 100;

/// All entitlements of many users, newest first, in one statement. The result is nullopt for a user with more
/// than `max_in_batch` entitlements. For this user, call `of_user`.
pg::Batch<std::optional<std::vector<EntitlementView>>> of_user_batch(
    pg::BatchConnection& connection, std::span<UserKey const> users);

/// Answers many feature queries in one statement. The result is nullopt for a user with more than
/// `max_in_batch` entitlements. For this query, call `feature`.
pg::Batch<std::optional<FeatureAccess>> features_batch(
    pg::BatchConnection& connection, std::span<FeatureQuery const> queries);

/// Answers one feature query, for any number of entitlements.
FeatureAccess feature(pg::Tx& tx, FeatureQuery const& query);

/// All entitlements of a user, newest first.
std::vector<EntitlementView> of_user(pg::Tx& tx, core::Scope const& scope, core::UserId const& user_id);

/// Who made an entitlement: a provider's event or a sync, or a manual grant.
enum class Origin : std::uint8_t { provider, granted };

/// A page of a user's entitlements of one origin, newest first, without their catalog products.
paging::Page<Entitlement> list_of_user(pg::Tx& tx, core::ScopeId scope_id, core::UserId const& user_id,
    Origin origin, paging::PageRequest const& asked);

/// The entitlements of a user from one source, without catalog products, ordered by id.
std::vector<Entitlement> of_source(
    pg::Tx& tx, core::ScopeId scope_id, core::UserId const& user_id, Source source);

/// The entitlements of a user from subscriptions of the payments provider, ordered by id.
std::vector<Entitlement> subscribed(pg::Tx& tx, core::ScopeId scope_id, core::UserId const& user_id);

/// One entitlement of a user, without its catalog product.
std::optional<Entitlement> get(
    pg::Tx& tx, core::Scope const& scope, core::UserId const& user_id, core::Uuid entitlement_id);

/// Adds the catalog products to entitlements that were not read from the table.
std::vector<EntitlementView> join_catalog(
    pg::Tx& tx, core::Scope const& scope, std::vector<Entitlement> entitlements);

/// The entitlements with these ids; missing ones are left out.
std::vector<Entitlement> by_ids(pg::Tx& tx, core::ScopeId scope_id, std::span<core::Uuid const> ids);

/// Inserts or replaces the row. Sets the revision, and the times that were `set_by_database`, in
/// `entitlement`. `is_open`: whether it gives access now.
void upsert(pg::Tx& tx, core::ScopeId scope_id, Entitlement& entitlement, bool is_open);

/// Removes an entitlement that exists only because an event of a consumable was applied to a subscription.
void remove(pg::Tx& tx, core::ScopeId scope_id, core::Uuid entitlement_id);

} // namespace billing::entitlements
