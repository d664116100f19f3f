#pragma once

#include "core/clock.hpp"
#include "core/id.hpp"
#include "core/scope.hpp"
#include "core/user_id.hpp"
#include "domain/event.hpp"
#include "domain/event_outcome.hpp"
#include "domain/payment_links.hpp"
#include "paging/cursor.hpp"
#include "pg/tx.hpp"
#include "storage/event_users.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The table `events`: the archive of all events that were received with a valid secret or signature,
/// partitioned by month.
namespace billing::event_archive {

/// A row of the archive.
struct ArchivedEvent {
    core::Uuid archive_id;
    core::Time received_at;
    Provider provider{};
    std::string event_id; ///< the provider's id of the event; for a rejected event, `archive_id`
    std::string type;     ///< empty if it could not be read
    EventResult result{};
    std::string reason; ///< may be empty
    std::optional<core::UserId> user_id;
    std::optional<core::Time> event_at; ///< the time that the provider states
    /// When the event lost its user, because the user was erased. The user id is a pseudonym then.
    std::optional<core::Time> erased_at;
    /// As received; in a rejected event, bytes that are not UTF-8 are replaced. After the erasure of a user,
    /// `removed_payload`, or the event without the user's id (`erase_from_event`).
    std::string payload;

    /// Whether the payload is JSON. Always true for an event that was not rejected.
    bool is_json() const;
};

/// The filter of a list of events.
struct Filter {
    std::optional<std::string> type;
    std::optional<EventResult> result;
    std::optional<core::UserId> user_id; ///< only events that belong to this user
    /// Only events that name this user besides their own user (event_users.hpp).
    std::optional<core::UserId> named_user;
    /// Only events that belong to this user, and events that name this user. At most one of the filters by
    /// user is set.
    std::optional<core::UserId> about_user;
    /// Only events whose `event_at` is `event_after` or later, and before `event_before`.
    std::optional<core::Time> event_after, event_before;

    /// Identifies the filter in cursors, because a cursor is valid only with the filter it was made for.
    std::uint64_t hash() const;
};

/// A page ends after the event with which its payloads reach this number of bytes, even if it has fewer
/// events than requested. The limit bounds the memory that a list needs, because a payload may have up to 1
/// MiB. It is more than a thousand times the size of a typical event.
inline constexpr std::size_t page_bytes = 8 << 20;

/// The requested page, newest first. A page's position is (received_at, archive_id).
paging::Page<ArchivedEvent> list(
    pg::Tx& tx, core::Scope const& scope, Filter const& filter, paging::PageRequest asked);

/// The event with this id, of either provider.
std::optional<ArchivedEvent> find(pg::Tx& tx, core::ScopeId scope_id, std::string const& event_id);

/// The event with this claim (storage/event_claims.hpp).
std::optional<ArchivedEvent> find_claimed(pg::Tx& tx, core::ScopeId scope_id, core::Uuid claim);

/// An event to insert.
struct NewEvent {
    core::Uuid archive_id;
    core::Uuid claim; ///< event_claims::claim_of(), or `archive_id` for a rejected event
    core::Time received_at;
    Provider provider{};
    std::string event_id;
    std::string type;
    EventOutcome outcome;
    std::optional<core::UserId> user_id;
    std::vector<core::UserId> named_users;      ///< users that the event names; may include `user_id`
    bool is_erased = false;                     ///< whether `user_id` is the pseudonym of an erased user
    std::optional<std::string> subscription_id; ///< column `subject`
    std::optional<core::Time> event_at;
    std::string payload;
    PaymentNode node; ///< what the event states about a payment; without ids: nothing
};

/// The users for the table `event_users`: `named_users` without `user_id`.
std::vector<core::UserId> other_users(NewEvent const& row);

/// The body as the column `payload` stores it: U+FFFD replaces NUL and each byte that is not UTF-8.
std::string payload_of(std::string const& body);

/// Inserts the row, its other users, and its claim, which must be free. If the event waits for a
/// subscription, also inserts or updates the shared claim of all events that wait for the subscription. A
/// deferred event is also inserted into `deferred_events`.
void insert(pg::Tx& tx, core::ScopeId scope_id, NewEvent const& row);

/// Inserts or updates the shared claim of all events that wait for a subscription. `event`: the latest of
/// them.
void insert_waiting(pg::Tx& tx, core::ScopeId scope_id, std::string const& subscription_id,
    event_users::EventKey const& event);

/// The time of the database's clock. Under the scope's lock, it is the time of receipt of an event.
core::Time now(pg::Tx& tx);

/// The event in a row, with the row's time of receipt; nullopt if its payload is not a valid event.
std::optional<Event> event_of(ArchivedEvent const& archived);

/// Stores the new outcome of a replayed event.
void set_outcome(pg::Tx& tx, core::ScopeId scope_id, ArchivedEvent const& event, EventOutcome const& outcome,
    std::optional<core::UserId> const& user_id);

/// Sets the result of the events that waited for the subscription (`awaiting_subscription`) to applied, and
/// their user to `user_id`.
void mark_applied(
    pg::Tx& tx, core::ScopeId scope_id, std::string const& subscription_id, core::UserId const& user_id);

/// Sets the result of an archived refund or lost dispute to applied, and its user to `user_id`.
void mark_reversal_applied(
    pg::Tx& tx, core::ScopeId scope_id, PaymentNode const& reversal, core::UserId const& user_id);

/// Those of `scopes` that have deferred events. The transaction must see all of `scopes`.
std::vector<core::ScopeId> scopes_with_deferred(pg::Tx& tx, std::span<core::ScopeId const> scopes);

/// The oldest event of the scope that was deferred and is not applied yet. Ends the deferral of events that
/// the archive has dropped.
std::optional<ArchivedEvent> next_deferred(pg::Tx& tx, core::ScopeId scope_id);

/// Ends the deferral of an event.
void remove_deferred(pg::Tx& tx, core::ScopeId scope_id, event_users::EventKey const& event);

/// Creates the partitions of the coming months. Deletes the claims of events that were received more than
/// `months` whole months ago, and drops their partitions. One call does a bounded part of this work, and
/// returns true if it must be called again. For the periodic task; the transaction needs no scope.
bool maintain(pg::Tx& tx, unsigned months);

/// The number of coming months that have a partition; `maintain` creates two. The transaction needs no scope.
std::int64_t months_ahead(pg::Tx& tx);

} // namespace billing::event_archive
