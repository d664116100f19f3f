#pragma once

#include "core/scope.hpp"
#include "domain/entitlement.hpp"
#include "domain/subscription.hpp"

#include <span>
#include <string>
#include <vector>

/// The rules that derive entitlements from subscriptions of the payments provider. A user's entitlements
/// follow from the last state of each subscription.
namespace billing {

/// The entitlement status that follows from a subscription's status.
Status status_of(SubscriptionStatus status) noexcept;

/// A user's entitlements from subscriptions, one per product. If several items or subscriptions have the same
/// product, the best item decides the entitlement. Active is better than paused, and paused is better than
/// expired; with equal statuses, the later end is better. The entitlement of a replaced or removed item
/// expired at the time of the first event without the item. Ordered by product.
std::vector<Entitlement> entitlements_of(
    core::ScopeId scope_id, core::UserId const& user_id, std::span<Subscription const> subscriptions);

/// The entitlements of `wanted` that differ from the entitlements in `stored`, ready to be written. Each
/// result gets the revision of its stored row, the earlier `created_at` of both, and, if the same event
/// decided both, the stored `updated_at`.
std::vector<Entitlement> changes_to(std::span<Entitlement const> stored, std::vector<Entitlement> wanted);

} // namespace billing
