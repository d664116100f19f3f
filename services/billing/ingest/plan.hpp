#pragma once

#include "domain/subscription.hpp"
#include "ingest/incoming_event.hpp"
#include "storage/event_batch.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

/// Decides an event of a batch in memory: the rows to read for the event, and the rows to write.
namespace billing::ingest {

/// Limits per event, because a batch runs on an I/O thread. An event of a user with more subscriptions, or
/// with more items in them, gets a transaction of its own. So does an event that names more users.
inline constexpr std::size_t max_subscriptions = 20, max_items = 500, max_named_users = 20;

/// The rows that an event depends on, as read without a lock.
struct Snapshot {
    /// The event's own subscription and the other subscriptions of its user. If the user has more than
    /// `max_subscriptions`, some are missing.
    std::vector<Subscription> subscriptions;
    event_batch::State state;
};

/// The subscriptions to read for an event. nullopt: the event is not about a subscription.
std::optional<event_batch::SubscriptionQuery> subscription_query_of(IncomingEvent const& incoming);

/// The claims and entitlements to read for an event. `subscriptions`: the result of `subscription_query_of`.
/// There are no ids of entitlements if a batch may not handle the event.
event_batch::StateQuery state_query_of(
    IncomingEvent const& incoming, std::span<Subscription const> subscriptions);

/// The rows to write for an event that is not claimed. nullopt: the event needs a transaction of its own.
/// Possible reasons: the scope has an enabled webhook, the tenant is suspended, the history of the event must
/// be read, the event is about a user whose account was deleted, other events name the same payment, users
/// must be synced, or the event exceeds the limits above.
std::optional<event_batch::EventWrite> plan_write(IncomingEvent const& incoming, Snapshot const& snapshot);

} // namespace billing::ingest
