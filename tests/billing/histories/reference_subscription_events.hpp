#pragma once

#include "histories/reference_model.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

/// The events of the payments provider's subscriptions, for the reference model.
namespace histories::model {

struct SubscriptionItem {
    std::string price;
    std::optional<Time> begins; ///< the start of the current period
    Time ends = never;          ///< the end of the current period
};

struct SubscriptionEvent {
    Order order;
    std::string type, user, status;
    bool cancels_at_period_end = false;
    std::optional<Time> cancel_at, ended_at;
    std::string latest_invoice;          ///< empty: unknown
    std::vector<SubscriptionItem> items; ///< with different prices
    bool has_more_items = false;
    json::value const* object = nullptr;   ///< the subscription
    json::value const* previous = nullptr; ///< `previous_attributes`; may be null
};

/// A paid invoice of a subscription, with one line for each price.
struct InvoiceEvent {
    Order order;
    std::string id;
    std::vector<SubscriptionItem> lines;
};

struct Subscription {
    std::vector<SubscriptionEvent> events; ///< in the order in which they happened; never empty
    std::vector<InvoiceEvent> invoices;    ///< in the order in which they were paid
};

/// All subscriptions that an event with a user contains, by id.
std::map<std::string, Subscription> subscriptions_in(std::vector<json::object const*> const& events);

/// Whether a subscription with this status has ended for good.
bool is_final(std::string const& status);

} // namespace histories::model
