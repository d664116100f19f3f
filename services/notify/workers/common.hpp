#pragma once
// Only the delivery workers use this header: functions that the handlers of all channels share.

#include "core/identity.hpp"
#include "domain/answer.hpp"
#include "domain/notification.hpp"
#include "jobs/worker.hpp"
#include "pg/database.hpp"
#include "workers/delivery.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_future.hpp>

#include <chrono>
#include <functional>
#include <optional>
#include <utility>

namespace notify {

/// How often a suspended tenant's notifications are checked again.
inline constexpr std::chrono::minutes suspended_pause{5};

/// Runs a coroutine on an I/O thread and waits for its result.
template <class T> T wait(asio::io_context& io, asio::awaitable<T> task)
{
    return asio::co_spawn(io, std::move(task), asio::use_future).get();
}

/// The scope that owns a job.
struct Owner {
    core::Scope scope;
    bool suspended = false;
};

/// Returns nullopt if the tenant was removed. Throws core::Error UNAVAILABLE if the tenant cannot be read.
std::optional<Owner> owner_of(DeliveryDeps const& deps, std::int64_t scope_id);

/// Identifies a notification at the start of a run.
struct Tried {
    core::Uuid id;
    core::Time queued_at;

    static Tried of(Notification const& n) { return {n.id, n.queued_at}; }
};

/// Locks the notification to write the outcome of a run. Returns nullopt if the notification was removed, or
/// if a retry request has queued it again during the run. In these cases the outcome must not be written.
std::optional<Notification> lock_tried(pg::Tx& tx, std::int64_t scope_id, Tried const& tried);

/// One attempt to send an email or a text message.
struct Attempt {
    core::Time began;
    Answer answer;
};

/// The outcome of the job of `n` after an attempt. Status, event and webhook are written in the transaction
/// that ends the claim; `also`, if given, runs in that transaction.
jobs::Outcome end_of(DeliveryDeps const& deps, std::int64_t scope_id, Notification const& n,
    Attempt const& attempt, std::function<void(pg::Tx&)> also = {});

/// The outcome of the job of `n` if the notification is never sent: fails `n` with `reason`.
jobs::Outcome give_up(
    DeliveryDeps const& deps, std::int64_t scope_id, Notification const& n, std::string_view reason);

/// The outcome of a notification's job whose run began at `began` and ended with an unexpected exception. The
/// run counts as a failed attempt, and the last attempt fails the notification with `failures::internal`. A
/// push that has reached some devices fails only at the other devices.
jobs::Outcome end_broken(DeliveryDeps const& deps, jobs::Claim const& claim, core::Time began);

/// Fails `n`, which must be locked, with `failures::internal`. A push that has reached some devices fails
/// only at the other devices.
void break_off(pg::Tx& tx, std::int64_t scope_id, Notification& n, core::Time at);

/// Ends a notification with `break_off`. Called if the outcome of its run cannot be written
/// (`jobs::WorkerOptions::given_up`).
void give_up_unwritten(pg::Tx& tx, jobs::Claim const& claim, core::Time at);

/// Moves `n`, which must be locked, to status `to` and publishes the event. If the status does not change,
/// only the attempts and the provider's id are written.
void move_and_tell(pg::Tx& tx, std::int64_t scope_id, Notification& n, std::optional<Status> to,
    std::optional<std::string> const& detail, core::Time at);

} // namespace notify
