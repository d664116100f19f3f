#pragma once

#include "core/scope.hpp"
#include "domain/carrier.hpp"
#include "domain/notification.hpp"
#include "pg/tx.hpp"
#include "storage/notifications.hpp"

#include <optional>
#include <set>
#include <span>
#include <vector>

/// The jobs of pushes, in the queues `push_queue_of` and `queue_of(Channel::push)`. The transaction must see
/// the scopes.
namespace notify::push_jobs {

/// The pushes with their contents, in the order of `keys`; nullopt if there is nothing to send
/// (`awaits_sending`), or the notification was removed.
std::vector<std::optional<Notification>> find_unsent(pg::Tx& tx, std::span<notifications::Key const> keys);

/// The keys for which no queue of pushes has a job.
std::set<notifications::Key> without_job(pg::Tx& tx, std::span<notifications::Key const> keys);

/// Enqueues each push for its carriers, due at once. Both lists have the same order.
void enqueue(
    pg::Tx& tx, std::span<notifications::Key const> keys, std::span<std::vector<Carrier> const> carriers);

} // namespace notify::push_jobs
