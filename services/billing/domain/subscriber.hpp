#pragma once

#include "core/clock.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace billing {

/// One purchase as the platform's subscriber document tells it (RevenueCat REST API v1, `subscriptions` and
/// `non_subscriptions` of GET /v1/subscribers/{id}).
struct Purchase {
    std::string product;     ///< as its webhooks name it: with a base plan `product:plan`
    std::string transaction; ///< of a consumable, else empty
    bool sandbox = false;
    std::optional<core::Time> purchased_at;
    std::optional<core::Time> expires_at; ///< nullopt: never
    std::optional<core::Time> unsubscribed_at;
    std::optional<core::Time> billing_issue_at;
    std::optional<core::Time> grace_ends_at;
    std::optional<core::Time> refunded_at;
    std::optional<core::Time> resumes_at; ///< of one that is paused
};

/// All a user bought through the platform, in both environments.
struct Subscriber {
    std::vector<Purchase> subscriptions;
    /// nullopt: the document does not speak of them.
    std::optional<std::vector<Purchase>> consumables;
};

/// Reads a subscriber document. Throws std::invalid_argument, without any of it, for what is not one: half a
/// document must not be taken for a user who bought nothing.
Subscriber parse_subscriber(std::string_view json);

} // namespace billing
