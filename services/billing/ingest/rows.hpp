#pragma once

#include "core/clock.hpp"
#include "core/id.hpp"
#include "core/user_id.hpp"
#include "domain/entitlement.hpp"
#include "domain/event.hpp"
#include "domain/payment_links.hpp"
#include "domain/subscription.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace billing::ingest {

/// A product of the catalog, as a checkout needs it.
struct CheckoutProduct {
    std::string provider_product_id;
    bool is_subscription = false;
};

/// The rows of one scope that events read and write. The service uses the database (stored_rows.hpp). Tests
/// of the rules use memory, because they apply millions of events.
class Rows {
public:
    virtual ~Rows() = default;

    /// The entitlements with these ids; missing ones are left out.
    virtual std::vector<Entitlement> entitlements(std::span<core::Uuid const> ids) = 0;
    /// The user's entitlements from subscriptions of the payments provider.
    virtual std::vector<Entitlement> subscribed_entitlements(core::UserId const& user_id) = 0;
    /// Inserts or replaces the row; sets its revision and times.
    virtual void write(Entitlement& entitlement) = 0;
    virtual void remove(core::Uuid entitlement_id) = 0;

    virtual std::optional<Subscription> subscription(std::string const& id) = 0;
    /// The subscriptions that belong to the user or have belonged to the user.
    virtual std::vector<Subscription> subscriptions_of(core::UserId const& user_id) = 0;
    virtual void write(Subscription const& subscription) = 0;

    /// The archived events of a user, and the events of others that name the user.
    virtual std::vector<Event> history_of(core::UserId const& user_id) = 0;
    virtual std::vector<Event> history_of_subscription(std::string const& id) = 0;
    /// Whether archived events of other users name this user.
    virtual bool is_named(core::UserId const& user_id) = 0;
    /// Sets the result of the invoices that waited for the subscription to `applied`.
    virtual void mark_applied(std::string const& subscription_id, core::UserId const& user_id) = 0;

    /// The product with this id in the catalog, or with this id at the provider.
    virtual std::optional<CheckoutProduct> product(std::string const& id) = 0;

    /// The archived events about payments that have one of the ids.
    virtual std::vector<PaymentNode> nodes(std::span<std::string const> ids) = 0;
    /// Sets the result of an archived reversal to `applied`, and its user to `user_id`.
    virtual void mark_applied(PaymentNode const& reversal, core::UserId const& user_id) = 0;
};

} // namespace billing::ingest
