#pragma once
// Private to the delivery workers: what the handlers of all channels do alike.

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

/// Notifications of a suspended tenant are looked at this often.
inline constexpr std::chrono::minutes suspended_pause{5};

/// Runs a coroutine on an I/O thread and waits for it.
template <class T> T wait(asio::io_context& io, asio::awaitable<T> task)
{
    return asio::co_spawn(io, std::move(task), asio::use_future).get();
}

/// Whose job it is.
struct Owner {
    core::Scope scope;
    bool suspended = false;
};

/// nullopt when the tenant is gone. Throws core::Error UNAVAILABLE.
std::optional<Owner> owner_of(DeliveryDeps const& deps, std::int64_t scope_id);

/// A notification as a run found it.
struct Tried {
    core::Uuid id;
    core::Time queued_at;

    static Tried of(Notification const& n) { return {n.id, n.queued_at}; }
};

/// Locks the notification to write down what came of a run. nullopt when it is gone, or was told meanwhile to
/// be tried anew: then that run's outcome is no longer its own.
std::optional<Notification> lock_tried(pg::Tx& tx, std::int64_t scope_id, Tried const& tried);

/// How one attempt at an email or a text message went.
struct Attempt {
    core::Time began;
    Answer answer;
};

/// How the job of `n` ends after an attempt: status, event and webhook are written in the transaction that
/// ends the claim, and `also`, when given, runs in it too.
jobs::Outcome end_of(DeliveryDeps const& deps, std::int64_t scope_id, Notification const& n,
    Attempt const& attempt, std::function<void(pg::Tx&)> also = {});

/// How the job of `n` ends when it was not even tried, and never will be.
jobs::Outcome give_up(
    DeliveryDeps const& deps, std::int64_t scope_id, Notification const& n, std::string_view reason);

/// How a run of a notification's job ends that began at `began` and broke on something that was not foreseen:
/// as an attempt that surely was in vain, so that the last of them fails it, for `failures::internal`. A push
/// that has reached some devices fails at the others.
jobs::Outcome end_broken(DeliveryDeps const& deps, jobs::Claim const& claim, core::Time began);

/// Fails what is left of `n`, which is locked, for `failures::internal`. A push that has reached some devices
/// fails at the others.
void break_off(pg::Tx& tx, std::int64_t scope_id, Notification& n, core::Time at);

/// The same, where the outcome of a run cannot be written (`jobs::WorkerOptions::given_up`).
void give_up_unwritten(pg::Tx& tx, jobs::Claim const& claim, core::Time at);

/// Moves `n`, which is locked, to `to` and tells the scope's webhooks; else writes its progress alone.
void move_and_tell(pg::Tx& tx, std::int64_t scope_id, Notification& n, std::optional<Status> to,
    std::optional<std::string> const& detail, core::Time at);

} // namespace notify
