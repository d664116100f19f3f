#pragma once

#include "core/clock.hpp"
#include "domain/price.hpp"
#include "domain/purchase_event.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace billing {

/// A purchase in the provider's subscriber document (RevenueCat REST API v1, `subscriptions` and
/// `non_subscriptions` of GET /v1/subscribers/{id}).
struct Purchase {
    std::string product;     ///< product id as in webhooks; `product:plan` if there is a base plan
    std::string transaction; ///< transaction id of a consumable; empty for a subscription
    std::string store;       ///< as in webhooks, in upper case; empty: not stated
    /// The store's id of a subscription's last transaction; may be empty.
    std::string store_transaction;
    bool sandbox = false;
    std::optional<PeriodType> period_type; ///< nullopt: not stated
    std::optional<Price> price;            ///< of one unit; nullopt: not stated
    std::optional<core::Time> purchased_at;
    std::optional<core::Time> expires_at; ///< nullopt: never
    std::optional<core::Time> unsubscribed_at;
    std::optional<core::Time> billing_issue_at;
    std::optional<core::Time> grace_ends_at;
    std::optional<core::Time> refunded_at;
    std::optional<core::Time> resumes_at; ///< set while paused
};

/// All purchases of a user through the provider, in both environments.
struct Subscriber {
    std::vector<Purchase> subscriptions;
    /// nullopt: the document has no member `non_subscriptions`.
    std::optional<std::vector<Purchase>> consumables;
    /// When the provider received the request, by its own clock; nullopt: not stated.
    std::optional<core::Time> requested_at;
};

/// Parses a subscriber document. Throws std::invalid_argument if the document is malformed, because an
/// incomplete document must not count as a user without purchases. The exception contains no value of the
/// document.
Subscriber parse_subscriber(std::string_view json);

} // namespace billing
