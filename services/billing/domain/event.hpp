#pragma once

#include "core/enum_names.hpp"
#include "core/error.hpp"
#include "core/scope.hpp"
#include "core/user_id.hpp"
#include "domain/access.hpp"
#include "domain/payment_event.hpp"
#include "domain/purchase_event.hpp"

#include <boost/json/monotonic_resource.hpp>
#include <boost/json/storage_ptr.hpp>
#include <boost/json/value.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace billing {

using core::to_string;

/// The sender of an event. The purchase provider reports in-app purchases of the app stores (RevenueCat),
/// the payments provider reports card payments (Stripe). Events of this service itself are `internal`: syncs,
/// grants, and changes of settings.
enum class Provider : std::uint8_t { purchases, payments, internal };

constexpr auto enum_names(Provider)
{
    return std::to_array<std::string_view>({"purchases", "payments", "internal"});
}

/// An event that changes no entitlement, with the reason.
struct Skipped {
    std::string_view reason;
};

/// What a sync found in the purchase provider's API: one event per purchase.
struct SyncEvent {
    std::vector<PurchaseEvent> purchases;
};

/// A change of the tenant's settings for access.
struct SettingsEvent {
    AccessSettings settings;
    AccessSettings previous; ///< before the change
};

/// The content of an event, without its envelope.
using EventData = std::variant<Skipped, PurchaseEvent, SubscriptionEvent, InvoiceEvent, CheckoutEvent,
    ReversalEvent, SyncEvent, SettingsEvent>;

/// An event of a provider or of this service.
struct Event {
    Provider provider{};
    std::string id;   ///< the provider's id of the event
    std::string type; ///< the provider's name of the event type
    /// nullopt: the event names no environment, so it belongs to the scope that it was posted to.
    std::optional<core::Environment> environment;
    std::optional<core::UserId> user_id;
    /// All users that the event names (named_users.hpp): `user_id`, aliases, and others.
    std::vector<core::UserId> named_users;
    /// The users whose purchases this event, a TRANSFER, moved to other users. They are among `named_users`.
    std::vector<core::UserId> former_users;
    std::optional<std::string> subscription_id; ///< id of the payments provider's subscription
    /// The ids of charges, payment intents, invoices and checkout sessions that the event connects with each
    /// other (storage/payment_references.hpp).
    std::vector<std::string> references;
    std::optional<core::Time> at; ///< the time that the provider states
    EventData data;

    /// Sets the time of receipt in `data`.
    void set_received_at(core::Time at);
};

/// A parsed event. If `faults` is not empty, the event is malformed and `event` holds the members that could
/// be read.
struct ParsedEvent {
    Event event;
    std::vector<core::FieldError> faults;
};

/// Parses a webhook body as JSON (RFC 8259, depth 32) into `memory`; nullopt if it is not JSON.
std::optional<boost::json::value> parse_document(std::string_view body,
    boost::json::storage_ptr memory = boost::json::make_shared_resource<boost::json::monotonic_resource>());

/// Parses the JSON of an event with `parse_purchase_event`, `parse_payment_event` or `parse_own_event`, and
/// finds its `named_users`, also if the event is malformed.
ParsedEvent parse_event(Provider provider, boost::json::value const& document);

} // namespace billing
