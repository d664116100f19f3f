#pragma once

#include "core/id.hpp"
#include "core/scope.hpp"
#include "crypto/hash.hpp"
#include "domain/entitlement.hpp"
#include "domain/payment_links.hpp"
#include "domain/subscription.hpp"
#include "pg/batch.hpp"
#include "pg/tx.hpp"
#include "storage/event_archive.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

/// The statements that ingest many events of many scopes at once. Two statements read the rows that the
/// events depend on, without a lock. One statement writes the events whose rows have not changed since they
/// were read.
namespace billing::event_batch {

/// An event about a subscription of the payments provider.
struct SubscriptionQuery {
    core::ScopeId scope_id{};
    std::optional<std::string> subscription_id;
    std::optional<core::UserId> user_id; ///< nullopt: the user of the stored subscription
};

/// For each query: the event's own subscription, if it is stored, and the other subscriptions that belong to
/// its user or have belonged to the user, at most `limit` of each kind.
pg::Batch<std::vector<Subscription>> read_subscriptions(pg::BatchConnection& connection,
    pg::Scopes const& scopes, std::span<SubscriptionQuery const> queries, std::size_t limit);

/// The claims and entitlements that an event depends on.
struct StateQuery {
    core::ScopeId scope_id{};
    core::Uuid claim;                        ///< of the event
    std::optional<core::Uuid> waiting_claim; ///< of the events that wait for the event's subscription
    std::vector<core::Uuid> entitlement_ids; ///< without repetition
    /// The claim of erased users (event_claims::claim_of_erased) of the event's subscription.
    std::optional<core::Uuid> erased_claim;
    std::vector<crypto::Digest> users;          ///< of the event's users: auth::erased_user_rows::hash_of
    std::optional<core::UserId> mentioned_user; ///< a user of whom `is_named` is asked
    std::vector<std::string> references;        ///< the ids of payments that the event names
};

struct State {
    bool is_claimed = false;
    bool has_webhook = false;    ///< the scope has an enabled webhook
    bool has_history = false;    ///< `waiting_claim` exists
    bool has_erased = false;     ///< `erased_claim` exists, or the account of one of `users` was deleted
    bool is_named = false;       ///< archived events of other users name `mentioned_user`
    bool has_references = false; ///< an archived event names one of `references`
    std::vector<Entitlement> entitlements;
};

pg::Batch<State> read_state(
    pg::BatchConnection& connection, pg::Scopes const& scopes, std::span<StateQuery const> queries);

/// The rows to write for an event, if the rows that it depends on have not changed.
struct EventWrite {
    core::ScopeId scope_id{};
    event_archive::NewEvent row; ///< `received_at` is ignored: the statement sets it
    bool is_first = false; ///< first event of its subscription; no other event may wait for the subscription
    std::vector<Entitlement> entitlements;
    std::vector<bool> is_open; ///< for each of `entitlements`, whether it gives access now
    std::optional<Subscription> subscription;
    /// A user whom no archived event of another user named when the rows were read; empty: none.
    core::UserId unnamed_user;
    PaymentNode node; ///< what the event states about a payment; without ids: nothing

    // The rows that the event depends on: ids, and the revisions that were read. Revision 0: there was no
    // row.
    std::vector<std::pair<core::Uuid, std::int64_t>> entitlement_revisions;
    std::vector<std::pair<std::string, std::int64_t>> subscription_revisions;
    core::UserId user_id;               ///< owner of these subscriptions; empty: none
    std::size_t subscription_count = 0; ///< number of the user's subscriptions, to detect a new one
};

/// Writes events that have no row in common, in one statement under the locks of their scopes. Returns for
/// each event whether it was written. Throws pg::Stalled, without writing anything, if a scope's lock is
/// taken. An event is written under these conditions:
/// - The rows that the event depends on have not changed.
/// - The event's scope has no enabled webhook.
/// - The event's id is not claimed.
/// - No archived event names one of the ids in its `node`, or its `unnamed_user`.
pg::Batch<bool> write(pg::BatchConnection& connection, std::span<EventWrite const* const> events);

} // namespace billing::event_batch
