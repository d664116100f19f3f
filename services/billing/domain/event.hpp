#pragma once

#include "core/error.hpp"
#include "core/identity.hpp"
#include "domain/purchases.hpp"
#include "domain/subscription.hpp"

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

/// The sender of an event: the in-app purchase platform, or the card payment provider.
enum class Provider : std::uint8_t { purchases, payments };
/// In the order of Provider.
inline constexpr std::array<std::string_view, 2> providers{"purchases", "payments"};

constexpr std::string_view to_string(Provider provider) noexcept
{
    return providers[static_cast<std::size_t>(provider)];
}

/// The provider with this name. Throws std::invalid_argument if there is none.
Provider parse_provider(std::string_view text);

/// The result of taking in an event.
enum class Result : std::uint8_t {
    applied,   ///< the event decides the state, or contributes to it
    skipped,   ///< the event has no effect now; `reason` states why
    duplicate, ///< an event with this id was received before; this one is not archived
    stale,     ///< events with later positions were applied before; this event does not change the state
    rejected,  ///< the event is malformed; its provider gets status 400
};
/// In the order of Result.
inline constexpr std::array<std::string_view, 5> results{
    "applied", "skipped", "duplicate", "stale", "rejected"};

constexpr std::string_view to_string(Result result) noexcept
{
    return results[static_cast<std::size_t>(result)];
}

/// The result with this name. Throws std::invalid_argument if there is none.
Result parse_result(std::string_view text);

/// The result of an event, and its reason, such as `unhandled_type` or `no_user`.
struct Outcome {
    Result result{};
    std::string reason; ///< may be empty

    friend bool operator==(Outcome const&, Outcome const&) = default;
};

/// An event that changes no entitlement, with the reason.
struct Skipped {
    std::string_view reason;
};

/// The content of an event, without its envelope.
using Fact = std::variant<Skipped, PurchaseEvent, SubscriptionEvent, InvoiceEvent>;

/// An event of either provider.
struct Event {
    Provider provider{};
    std::string id;   ///< the provider's id of the event
    std::string type; ///< the provider's name of the event type
    /// nullopt: the event names no environment, so it belongs to the scope that it was posted to.
    std::optional<core::Environment> environment;
    std::optional<std::string> user_id;
    std::optional<std::string> subject; ///< id of the payment provider's subscription
    std::optional<core::Time> at;       ///< the time that the provider states
    Fact fact;

    /// Sets the time of receipt in `fact`.
    void received(core::Time at);
};

/// A parsed event. If `faults` is not empty, the event is malformed and `event` holds the members that could
/// be read.
struct Parsed {
    Event event;
    std::vector<core::FieldError> faults;
};

/// Parses a webhook body as JSON (RFC 8259, depth 32) into `memory`; nullopt if it is not JSON.
std::optional<boost::json::value> parse_document(std::string_view body,
    boost::json::storage_ptr memory = boost::json::make_shared_resource<boost::json::monotonic_resource>());

/// Reads the in-app platform's envelope, RevenueCat's `{api_version, event: {…}}`
/// (https://www.revenuecat.com/docs/integrations/webhooks/event-types-and-fields). Handled types require all
/// fields that determine the result; other types require only `id` and `type`.
Parsed parse_purchase_event(boost::json::value const& document);

/// Reads the card provider's envelope, Stripe's `{id, type, created, livemode, data: {object}}`
/// (https://docs.stripe.com/api/events/object). Accepts subscriptions and invoices of old and new API
/// versions. Versions since 2025-03-31 have the periods in the items of a subscription, and
/// `parent.subscription_details` in an invoice.
Parsed parse_payment_event(boost::json::value const& document);

/// Calls the parser of the provider.
Parsed parse_event(Provider provider, boost::json::value const& document);

} // namespace billing
