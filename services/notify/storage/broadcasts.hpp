#pragma once

#include "core/scope.hpp"
#include "domain/broadcast.hpp"
#include "domain/push_settings.hpp"
#include "paging/cursor.hpp"
#include "pg/tx.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The tables `broadcasts` and `broadcast_claims`. The transaction must see the scope `scope_id`. To avoid
/// deadlocks, lock the job before the broadcast.
namespace notify::broadcasts {

/// The queue of the jobs that split a broadcast into chunks. A job's ref is the broadcast's id.
inline constexpr std::string_view queue = "notify.broadcast";

/// The queue of the jobs that remove the devices that a broadcast has found gone (broadcast_pruning.hpp). A
/// job's ref is the broadcast's id.
inline constexpr std::string_view prune_queue = "notify.broadcast_prune";

struct Key {
    core::ScopeId scope_id{};
    core::Uuid id; ///< of the broadcast

    friend auto operator<=>(Key const&, Key const&) = default;
};

/// The broadcast that holds a dedupe key at `now`; nullopt if no broadcast holds it.
std::optional<core::Uuid> holder_of(pg::Tx& tx, core::ScopeId scope_id, std::string_view key, core::Time now);

/// Claims a dedupe key for broadcast `id`, which this transaction inserts. Returns nullopt on success. If
/// another broadcast holds the key, returns the id of that broadcast and writes nothing. If a concurrent
/// transaction has claimed the key, waits for the end of that transaction.
std::optional<core::Uuid> claim(
    pg::Tx& tx, core::ScopeId scope_id, std::string_view key, core::Uuid const& id, core::Time now);

/// A broadcast to insert. Of `broadcast`, these members are used: id, template_name, dedupe_key, traceparent.
struct NewBroadcast {
    core::ScopeId scope_id{};
    Broadcast broadcast;
    std::string title, body;            ///< rendered
    core::Time now;                     ///< when the broadcast was accepted
    std::optional<core::Time> due_at{}; ///< when the job is due; if nullopt, at once
    PushSettings push{};                ///< the options of its pushes
};

/// Inserts the broadcast and its job. Takes the scope's lock (pg::lock_scope), so no list cursor can miss a
/// broadcast. The broadcast goes to the devices that are registered now.
void insert(pg::Tx& tx, NewBroadcast const& row);

std::optional<Broadcast> find(pg::Tx& tx, core::ScopeId scope_id, core::Uuid const& id);

/// At most `limit` broadcasts after `after`, newest first.
std::vector<Broadcast> list(
    pg::Tx& tx, core::Scope const& scope, std::optional<paging::Position> const& after, std::size_t limit);

/// The content of a broadcast, for sending.
struct Message {
    std::string title, body;
    core::Time created_at;
    bool cancelled = false;
    std::string traceparent; ///< of the request that created the broadcast; may be empty
    PushSettings push;
};

/// The contents of the broadcasts that exist.
std::map<Key, Message> find_messages(pg::Tx& tx, std::span<Key const> keys);

/// The devices that have still to be put into chunks: device ids above `after`, up to `last`.
struct Remaining {
    std::int64_t after = 0, last = 0;
    std::int64_t enqueued = 0; ///< devices in chunks so far
    std::string traceparent;   ///< of the request that created the broadcast; may be empty
};

/// Locks a broadcast until the transaction ends. Returns nullopt if no devices remain, because the broadcast
/// is fanned out, cancelled or removed.
std::optional<Remaining> lock_remaining(pg::Tx& tx, core::ScopeId scope_id, core::Uuid const& id);

/// Records that `devices` more devices, with ids up to `up_to`, are in chunks. `all` says whether no devices
/// remain. The broadcast must be locked.
void add_enqueued(pg::Tx& tx, core::ScopeId scope_id, core::Uuid const& id, std::int64_t devices,
    std::int64_t up_to, bool all, core::Time now);

/// Locks broadcasts, in the order of their keys, until the transaction ends. Returns the broadcasts that were
/// not cancelled or removed.
std::set<Key> lock_unfinished(pg::Tx& tx, std::span<Key const> keys);

/// Adds `settled` to the counters of each broadcast.
void add_settled(pg::Tx& tx, std::map<Key, Settled> const& settled);

/// Cancels a broadcast. No more devices are enqueued, and enqueued devices fail unless a worker is sending to
/// them now. Returns false and changes nothing if the broadcast is complete, already cancelled or removed.
[[nodiscard]] bool cancel(pg::Tx& tx, core::ScopeId scope_id, core::Uuid const& id, core::Time now);

/// If the broadcast is fanned out and every device is settled, completes the broadcast and publishes
/// `broadcast.completed`, unless it was complete before. Enqueues a job of `prune_queue` if devices of the
/// broadcast are gone. Call this function after `add_enqueued`,
/// `add_settled` and `cancel`, and after all statements that lock rows of other tables (see
/// webhook_events::publish).
void complete_if_settled(pg::Tx& tx, core::ScopeId scope_id, core::Uuid const& id, core::Time now);

} // namespace notify::broadcasts
