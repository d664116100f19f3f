#pragma once

#include "storage/apply.hpp"
#include "storage/archive_rows.hpp"
#include "storage/take_in.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

/// The three steps of taking in many events at once: look at what each depends on, decide, and write all that
/// can be written together, provided that what was looked at is still so. For storage/apply alone.
namespace billing::apply {

namespace asio = boost::asio;

/// A batch runs on an I/O thread, so what one event brings into it has a bound. Who has more subscriptions,
/// or subscriptions of more items, has events that take transactions of their own.
inline constexpr std::size_t max_subscriptions = 20, max_parts = 500;

/// What was there when an event was looked at, without a lock.
struct Seen {
    bool claimed = false;
    bool announced = false;   ///< a webhook listens
    bool has_history = false; ///< events that wait for a subscription which is not known
    std::vector<Entitlement> entitlements;
    /// The event's own, and others of its user: if there are more than `max_subscriptions`, only some.
    std::vector<Subscription> subscriptions;
};

/// What is to be written for an event, provided that everything it depends on is still as it was seen.
struct Plan {
    archive::Row row;
    bool is_first = false; ///< of its subscription: none may wait for it by now
    std::vector<Entitlement> writes;
    std::optional<Subscription> subscription;

    // With its id, the revision that was seen.
    std::vector<std::pair<core::Uuid, std::int64_t>> entitlements;
    std::vector<std::pair<std::string, std::int64_t>> subscriptions;
    std::string user_id;         ///< whose subscriptions those are; empty: nobody's
    std::size_t count_of_user{}; ///< how many are the user's: one that was not seen may be there by now
};

/// An event on its way through the batch.
struct Step {
    Incoming const* incoming = nullptr;
    std::size_t place = 0;
    Seen seen;
    std::optional<Plan> plan;

    std::int64_t scope_id() const { return incoming->scope_id; }
};

/// Whether the event is about a subscription of the payment provider.
bool is_about_subscription(Step const& step);

/// The user whose entitlements such an event is about; empty: nobody is known.
std::string user_of(Step const& step);

/// Whether more was seen than a batch is to work with.
bool is_crowded(Seen const& seen);

/// The entitlements that the event may change, by what was seen of subscriptions; each once. None of an event
/// that a batch is not to work with.
std::vector<core::Uuid> ids_concerned(Step const& step);

/// The subscription of that id, if it was seen.
std::optional<Subscription> known_subscription(Seen const& seen, std::optional<std::string> const& id);

/// Fills in what each step sees: one statement, two when any of them is about a subscription.
asio::awaitable<void> look(pg::Session& session, pg::Scopes const& scopes, std::vector<Step>& steps);

/// What is to be done; nullopt when a transaction has to decide.
std::optional<Plan> plan_of(Step const& step);

/// Those with plans that touch nothing in common, in their order; the others have to come after them.
std::vector<Step*> independent(std::vector<Step>& steps);

/// Writes the plans of steps that touch nothing in common, in one statement under the locks of their scopes.
/// True for each that was written: nothing that it depends on had changed, no webhook listened, and nobody
/// had claimed its id. Throws pg::Stalled, having written nothing, when a scope's lock is not to be had.
asio::awaitable<std::vector<bool>> write(pg::Session& session, std::span<Step* const> steps);

} // namespace billing::apply
