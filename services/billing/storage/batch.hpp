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

/// Takes in many events at once, in three steps: `look` reads the rows that each event depends on, `plan_of`
/// decides each event, and `write` writes all events whose rows have not changed since they were read. For
/// storage/apply only.
namespace billing::apply {

namespace asio = boost::asio;

/// Limits per event, because a batch runs on an I/O thread. An event of a user with more subscriptions, or
/// with more items in them, gets a transaction of its own.
inline constexpr std::size_t max_subscriptions = 20, max_parts = 500;

/// The rows that an event depends on, as read without a lock.
struct Seen {
    bool claimed = false;
    bool announced = false;   ///< the scope has an enabled webhook
    bool has_history = false; ///< events wait for the subscription, which has no stored state
    std::vector<Entitlement> entitlements;
    /// The event's own subscription and the other subscriptions of its user. If the user has more than
    /// `max_subscriptions`, some are missing.
    std::vector<Subscription> subscriptions;
};

/// The rows to write for an event, if the rows that it depends on have not changed.
struct Plan {
    archive::Row row;
    bool is_first = false; ///< first event of its subscription; no other event may wait for the subscription
    std::vector<Entitlement> writes;
    std::optional<Subscription> subscription;

    // The rows that the event depends on: ids, and the revisions that were read.
    std::vector<std::pair<core::Uuid, std::int64_t>> entitlements;
    std::vector<std::pair<std::string, std::int64_t>> subscriptions;
    std::string user_id;         ///< owner of `subscriptions`; empty: none
    std::size_t count_of_user{}; ///< number of the user's subscriptions, to detect a new one
};

/// An event in the batch.
struct Step {
    Incoming const* incoming = nullptr;
    std::size_t place = 0;
    Seen seen;
    std::optional<Plan> plan;

    std::int64_t scope_id() const { return incoming->scope_id; }
};

/// Whether the event is about a subscription of the payment provider.
bool is_about_subscription(Step const& step);

/// The user whose entitlements an event about a subscription may change; empty if unknown.
std::string user_of(Step const& step);

/// Whether the event depends on more rows than a batch may handle.
bool is_crowded(Seen const& seen);

/// The ids of the entitlements that the event may change, without repetition. Precondition: the step's
/// subscriptions were read. Empty if a batch may not handle the event.
std::vector<core::Uuid> ids_concerned(Step const& step);

/// The subscription with this id, if it is in `seen`.
std::optional<Subscription> known_subscription(Seen const& seen, std::optional<std::string> const& id);

/// Fills in `seen` of each step. Runs one statement, or two if a step is about a subscription.
asio::awaitable<void> look(pg::Session& session, pg::Scopes const& scopes, std::vector<Step>& steps);

/// The plan for an event; nullopt if the event needs a transaction of its own.
std::optional<Plan> plan_of(Step const& step);

/// Selects steps with plans that have no row in common, in their order. The other steps must be written after
/// the selected ones.
std::vector<Step*> independent(std::vector<Step>& steps);

/// Writes the plans of steps that have no row in common, in one statement under the locks of their scopes.
/// Returns for each step whether it was written. A step is written if the rows that it depends on have not
/// changed, its scope has no enabled webhook, and its id is not claimed. Throws pg::Stalled, without writing
/// anything, if a scope's lock is taken.
asio::awaitable<std::vector<bool>> write(pg::Session& session, std::span<Step* const> steps);

} // namespace billing::apply
