#pragma once

#include "core/clock.hpp"
#include "core/id.hpp"
#include "core/scope.hpp"
#include "core/user_id.hpp"
#include "domain/access.hpp"
#include "domain/event_order.hpp"
#include "domain/price.hpp"
#include "domain/purchase_event.hpp"
#include "domain/purchase_line.hpp"
#include "domain/source.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace billing {

/// An entitlement, as stored. In a scope, a user has at most one entitlement per source and product. For a
/// product that is bought once, such as a consumable, the user has one entitlement per purchase
/// (`transaction_id`).
struct Entitlement {
    core::Uuid id; ///< derived from the key: entitlement_id()
    core::UserId user_id;
    Source source{};
    std::string provider_product_id; ///< the provider's id of the product
    /// Another id under which the catalog may list the product: if `provider_product_id` is the id of a
    /// price, this is the id of the price's product. May be empty.
    std::string alternative_product_id;
    /// The id of a consumable's transaction, or the event's id if the purchase event names no transaction. A
    /// manual entitlement to a consumable has a random UUID. Empty for subscriptions.
    std::string transaction_id;

    Status status{};
    std::optional<core::Time> purchased_at;
    std::optional<core::Time> expires_at;  ///< end of the paid period; nullopt: never
    std::optional<core::Time> grace_until; ///< end of the provider's grace period, after `expires_at`
    Access access;
    bool will_renew = false;
    std::optional<PeriodType> period_type; ///< nullopt: not known yet, because an older version wrote the row
    std::optional<core::Time> trial_ends_at;
    std::string store; ///< in upper case; empty: unknown, or a manual grant
    std::optional<std::int64_t> quantity;
    std::optional<Price> price; ///< of one unit
    /// The revenue of all units per month, in minor units; nullopt if the purchase does not recur.
    std::optional<std::int64_t> monthly_amount;
    std::string cancel_reason;         ///< may be empty
    std::optional<std::string> reason; ///< why it was granted; manual entitlements only

    std::string last_event_type;
    EventOrder last; ///< position of the event that decided the state
    /// The provider's id of the transaction or subscription that responses show; may be empty.
    std::string last_transaction_id;
    /// The events that decide the state, unless it follows from subscriptions of the payments provider.
    std::vector<PurchaseLine> lines;

    core::Time created_at = set_by_database; ///< when its first event was received
    core::Time updated_at = set_by_database; ///< when the event at `last` was received
    std::int64_t revision = 0;               ///< incremented by each write; 0: not written yet

    friend bool operator==(Entitlement const&, Entitlement const&) = default;
};

/// The id of the entitlement with these parameters. The id depends only on the parameters, so that replaying
/// the same events gives the same ids. The id has the form of a UUIDv7 whose free bits are a hash.
core::Uuid entitlement_id(core::ScopeId scope_id, Source source, core::UserId const& user_id,
    std::string_view provider_product_id, std::string_view transaction_id = {});

/// The key of an entitlement in its scope.
struct EntitlementKey {
    Source source{};
    core::UserId user_id;
    std::string product;        ///< the provider's id
    std::string transaction_id; ///< empty for subscriptions
};

/// The entitlement that follows from `lines`, which have at least one event. Sets all members except times of
/// receipt and `revision`.
Entitlement entitlement_of(
    core::ScopeId scope_id, EntitlementKey const& key, std::vector<PurchaseLine> lines);

/// The status that responses and webhooks show.
Status shown_status(Status status, AccessSettings const& settings) noexcept;

/// An entitlement before and after a write.
struct EntitlementChange {
    std::optional<Entitlement> from; ///< nullopt: the entitlement is new
    Entitlement to;
};

/// Whether `a` and `b` differ in a member that API responses and webhooks show. `created_at` and `updated_at`
/// are ignored.
bool differs(Entitlement const& a, Entitlement const& b) noexcept;

} // namespace billing
