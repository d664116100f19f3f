#pragma once

#include "core/scope.hpp"
#include "domain/entitlement.hpp"
#include "domain/purchase_event.hpp"

#include <span>
#include <vector>

/// The rules for events about one purchase. The contract (proto/billing.openapi.yaml) lists the resulting
/// status of each type.
namespace billing {

/// The ids of the entitlements that an event may concern, without repetition: the user's entitlement to the
/// event's product, the purchase with the event's transaction, and the same of each alias.
std::vector<core::Uuid> affected_entitlement_ids(PurchaseEvent const& event, core::ScopeId scope_id);

struct PurchaseDecision {
    bool applies = false;   ///< false: the event is stale, or `is_repeat` is true
    bool is_repeat = false; ///< the same event decided the stored state
    /// The rows to write, with the rows that they replace. A stale event may still change `created_at` and
    /// the lines.
    std::vector<EntitlementChange> writes;
    /// The result does not follow from the stored rows, so the caller must call `fold_purchases` with all
    /// events of the user and the product. The reasons:
    ///
    /// - The event shows that the product is bought once, and earlier events of the purchase may have been
    ///   applied to a subscription entitlement, of the user or of another user id of the same customer.
    /// - The user is anonymous, has no entitlement to the product from the event's store yet, and is named by
    ///   other events, which may have moved the purchase to another user id.
    bool needs_history = false;
};

/// Whether `decide` needs to know `is_named`.
bool depends_on_mentions(PurchaseEvent const& event);

/// Applies an event to the existing entitlements. `stored`: those of `affected_entitlement_ids` that exist.
/// `is_named`: whether archived events of other users name the event's user.
PurchaseDecision decide(
    PurchaseEvent const& event, core::ScopeId scope_id, std::span<Entitlement const> stored, bool is_named);

/// The entitlements of a user that result from `events`, which may have any order and may belong to other
/// users. Calling `decide` for each event gives the same result. Ordered by id.
std::vector<Entitlement> fold_purchases(
    core::ScopeId scope_id, core::UserId const& user_id, std::span<PurchaseEvent const> events);

/// The ids of the purchases that events of `user_id` may concern, if the product is bought once.
std::vector<core::Uuid> purchase_ids(
    core::ScopeId scope_id, core::UserId const& user_id, std::span<PurchaseEvent const> events);

/// Sets `purchase_id` of the events of `user_id` that are about one of `purchases`, which is bought once. The
/// event which showed that may belong to another user id of the same customer.
void mark_purchases(core::ScopeId scope_id, core::UserId const& user_id, std::span<PurchaseEvent> events,
    std::span<Entitlement const> purchases);

/// `folded` with the events that only the stored row contains, because the archive has dropped them. Ready to
/// be written.
Entitlement merged(core::ScopeId scope_id, Entitlement const& stored, Entitlement const& folded);

/// The stored state of a purchase with one more event, which was received at `received_at`.
Entitlement joined(
    core::ScopeId scope_id, Entitlement const& stored, PurchaseFact const& fact, core::Time received_at);

} // namespace billing
