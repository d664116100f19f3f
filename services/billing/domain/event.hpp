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

/// Who sent an event: the in-app purchase platform, or the card payment provider.
enum class Provider : std::uint8_t { purchases, payments };
/// In the order of Provider.
inline constexpr std::array<std::string_view, 2> providers{"purchases", "payments"};

constexpr std::string_view to_string(Provider provider) noexcept
{
    return providers[static_cast<std::size_t>(provider)];
}

/// The inverse. Throws std::invalid_argument for any other text.
Provider parse_provider(std::string_view text);

/// What became of an event.
enum class Result : std::uint8_t {
    applied,   ///< it decides, or has a say
    skipped,   ///< none of ours; `reason` says why
    duplicate, ///< of an id that was there before; not archived again
    stale,     ///< later ones were applied before it; it changed nothing
    rejected,  ///< malformed: answered 400
};
/// In the order of Result.
inline constexpr std::array<std::string_view, 5> results{
    "applied", "skipped", "duplicate", "stale", "rejected"};

constexpr std::string_view to_string(Result result) noexcept
{
    return results[static_cast<std::size_t>(result)];
}

/// The inverse. Throws std::invalid_argument for any other text.
Result parse_result(std::string_view text);

/// Result and, where there is something to say, why: `unhandled_type`, `no_user`, ...
struct Outcome {
    Result result{};
    std::string reason; ///< or empty

    friend bool operator==(Outcome const&, Outcome const&) = default;
};

/// An event that changes nothing by itself.
struct Skipped {
    std::string_view reason;
};

/// What an event says once its envelope is off.
using Fact = std::variant<Skipped, PurchaseEvent, SubscriptionEvent, InvoiceEvent>;

/// An event of either provider.
struct Event {
    Provider provider{};
    std::string id;                               ///< the provider's
    std::string type;                             ///< as the provider names it
    std::optional<core::Environment> environment; ///< nullopt: it names none, and belongs where it was posted
    std::optional<std::string> user_id;
    std::optional<std::string> subject; ///< the payment provider's subscription
    std::optional<core::Time> at;       ///< the provider's time
    Fact fact;

    /// When it was received, as its fact is to have it.
    void received(core::Time at);
};

/// An event, or what is wrong with it: then `faults` is not empty, and `event` holds what could be read.
struct Parsed {
    Event event;
    std::vector<core::FieldError> faults;
};

/// The body of a webhook as JSON (RFC 8259, depth 32), in that memory; nullopt when it is not.
std::optional<boost::json::value> parse_document(std::string_view body,
    boost::json::storage_ptr memory = boost::json::make_shared_resource<boost::json::monotonic_resource>());

/// Reads the in-app platform's envelope, RevenueCat's `{api_version, event: {…}}`
/// (https://www.revenuecat.com/docs/integrations/webhooks/event-types-and-fields). Types that are handled
/// need every field that decides; of all others `id` and `type` are enough.
Parsed parse_purchase_event(boost::json::value const& document);

/// Reads the card provider's envelope, Stripe's `{id, type, created, livemode, data: {object}}`
/// (https://docs.stripe.com/api/events/object), with subscriptions and invoices of its old API versions and
/// of the new (2025-03-31 and later: periods on items, `parent.subscription_details` on invoices).
Parsed parse_payment_event(boost::json::value const& document);

/// One of the two.
Parsed parse_event(Provider provider, boost::json::value const& document);

} // namespace billing
