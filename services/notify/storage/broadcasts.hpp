#pragma once

#include "core/identity.hpp"
#include "domain/broadcast.hpp"
#include "paging/cursor.hpp"
#include "pg/database.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The tables `broadcasts` and `broadcast_claims`. Every transaction sees the scope it names. Whoever ends or
/// puts off a job holds that first, and then waits for the broadcast.
namespace notify::broadcasts {

/// The queue of the jobs that cut a broadcast into chunks; a job's ref is the broadcast's id.
inline constexpr std::string_view queue = "notify.broadcast";

/// The broadcast that has a dedupe key at `now`; nullopt when nobody has.
std::optional<core::Uuid> holder_of(pg::Tx& tx, std::int64_t scope_id, std::string_view key, core::Time now);

/// Gives a dedupe key to broadcast `id`, which this transaction inserts, from `now` on: nullopt. When another
/// one has it: that one's id, and nothing was written. Of several transactions that claim a key at once all
/// but one wait here until that one has ended.
std::optional<core::Uuid> claim(
    pg::Tx& tx, std::int64_t scope_id, std::string_view key, core::Uuid const& id, core::Time now);

/// One to be accepted. Of `broadcast` its id, template_name, dedupe_key and traceparent are taken.
struct NewBroadcast {
    std::int64_t scope_id = 0;
    Broadcast broadcast;
    std::string title, body;            ///< rendered
    core::Time now;                     ///< when it was accepted
    std::optional<core::Time> due_at{}; ///< of its job; nullopt: at once
};

/// Inserts it, in the scope's commit order, with its job. Its devices are those registered up to now.
void insert(pg::Tx& tx, NewBroadcast const& row);

std::optional<Broadcast> find(pg::Tx& tx, std::int64_t scope_id, core::Uuid const& id);

/// At most `limit` of them after `after`, newest first.
std::vector<Broadcast> list(
    pg::Tx& tx, core::Scope const& scope, std::optional<paging::Position> const& after, std::size_t limit);

/// What whoever sends it has to know.
struct Message {
    std::string title, body;
    core::Time created_at;
    bool cancelled = false;
    std::string traceparent; ///< of the request that asked for it; may be empty
};

std::optional<Message> message(pg::Tx& tx, std::int64_t scope_id, core::Uuid const& id);

/// Which devices have still to be cut into chunks: those above `after`, up to `last`.
struct Uncut {
    std::int64_t after = 0, last = 0;
    std::string traceparent; ///< of the request that asked for it; may be empty
};

/// Locks a broadcast until the transaction ends. nullopt when there is nothing left to cut: all is, it was
/// cancelled, or it is gone.
std::optional<Uncut> lock_uncut(pg::Tx& tx, std::int64_t scope_id, core::Uuid const& id);

/// The devices of a locked one up to `up_to`, `devices` in number, are in chunks. `all`: there are no more.
void enqueued(pg::Tx& tx, std::int64_t scope_id, core::Uuid const& id, std::int64_t devices,
    std::int64_t up_to, bool all, core::Time now);

/// Locks a broadcast until the transaction ends, and says whether it was cancelled, or is gone.
bool lock_cancelled(pg::Tx& tx, std::int64_t scope_id, core::Uuid const& id);

/// Adds to its counters.
void settle(pg::Tx& tx, std::int64_t scope_id, core::Uuid const& id, Settled const& settled);

/// No more devices are enqueued, and those that are and are in no run just now are going to fail. False, and
/// nothing changes, when it is complete, was cancelled before, or is not there.
[[nodiscard]] bool cancel(pg::Tx& tx, std::int64_t scope_id, core::Uuid const& id, core::Time now);

/// Completes a broadcast that is fanned out and has every device settled; nullopt when it is not so, or was
/// complete before. To be asked after each of the changes above.
std::optional<Broadcast> complete(pg::Tx& tx, std::int64_t scope_id, core::Uuid const& id, core::Time now);

} // namespace notify::broadcasts
