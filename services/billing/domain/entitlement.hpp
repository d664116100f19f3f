#pragma once

#include "core/clock.hpp"
#include "core/enum_names.hpp"
#include "core/id.hpp"
#include "core/scope.hpp"
#include "core/user_id.hpp"
#include "domain/event_order.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace billing {

using core::to_string;

/// The origin of an entitlement. A source never changes the entitlements of another source.
enum class Source : std::uint8_t { purchases, payments, manual };

constexpr auto enum_names(Source)
{
    return std::to_array<std::string_view>({"purchases", "payments", "manual"});
}

enum class Status : std::uint8_t { active, expired, paused };

constexpr auto enum_names(Status)
{
    return std::to_array<std::string_view>({"active", "expired", "paused"});
}

/// An entitlement, as stored. In a scope, a user has at most one entitlement per source and product. For a
/// consumable, the user has one entitlement per purchase (`transaction_id`).
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
    std::optional<core::Time> expires_at;  ///< nullopt: never
    std::optional<core::Time> grace_until; ///< end of the provider's grace period, after `expires_at`
    bool will_renew = false;
    std::optional<std::string> reason; ///< why it was granted; manual entitlements only

    std::string last_event_type;
    EventOrder last;                 ///< position of the event that decided the state
    std::string last_transaction_id; ///< transaction that the event at `last` named; may be empty

    core::Time created_at = set_by_database; ///< when its first event was received
    core::Time updated_at = set_by_database; ///< when the event at `last` was received
    std::int64_t revision = 0;               ///< incremented by each write; 0: not written yet

    friend bool operator==(Entitlement const&, Entitlement const&) = default;
};

/// The id of the entitlement with these parameters. The id depends only on the parameters, so that replaying
/// the same events gives the same ids. The id has the form of a UUIDv7 whose free bits are a hash.
core::Uuid entitlement_id(core::ScopeId scope_id, Source source, core::UserId const& user_id,
    std::string_view provider_product_id, std::string_view transaction_id = {});

/// When access ends, regardless of the status: `expires_at`, or `grace_until` if `grace_until` is later.
/// nullopt: access has no end.
std::optional<core::Time> ends_at(Entitlement const& e) noexcept;

/// Whether the entitlement gives access at `now`: its status is active, and `now` is before `ends_at(e)`.
bool is_active(Entitlement const& e, core::Time now) noexcept;

/// An entitlement before and after a write.
struct EntitlementChange {
    std::optional<Entitlement> from; ///< nullopt: the entitlement is new
    Entitlement to;
};

/// Whether `a` and `b` differ in a member that API responses and webhooks show. `created_at` and `updated_at`
/// are ignored.
bool differs(Entitlement const& a, Entitlement const& b) noexcept;

} // namespace billing
