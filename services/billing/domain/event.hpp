#pragma once

#include "core/enum_names.hpp"
#include "core/error.hpp"
#include "core/scope.hpp"
#include "core/user_id.hpp"
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
/// the payments provider reports card payments (Stripe).
enum class Provider : std::uint8_t { purchases, payments };

constexpr auto enum_names(Provider)
{
    return std::to_array<std::string_view>({"purchases", "payments"});
}

/// An event that changes no entitlement, with the reason.
struct Skipped {
    std::string_view reason;
};

/// The content of an event, without its envelope.
using EventData = std::variant<Skipped, PurchaseEvent, SubscriptionEvent, InvoiceEvent>;

/// An event of either provider.
struct Event {
    Provider provider{};
    std::string id;   ///< the provider's id of the event
    std::string type; ///< the provider's name of the event type
    /// nullopt: the event names no environment, so it belongs to the scope that it was posted to.
    std::optional<core::Environment> environment;
    std::optional<core::UserId> user_id;
    /// All users that the event names (named_users.hpp): `user_id`, aliases, and others.
    std::vector<core::UserId> named_users;
    std::optional<std::string> subscription_id; ///< id of the payments provider's subscription
    std::optional<core::Time> at;               ///< the time that the provider states
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

/// Parses the JSON of an event with `parse_purchase_event` or `parse_payment_event`, and finds its
/// `named_users`, also if the event is malformed.
ParsedEvent parse_event(Provider provider, boost::json::value const& document);

} // namespace billing
