#pragma once

#include "jobs/settle.hpp"
#include "jobs/worker.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace jobs {

class AsyncWorker;

/// What the jobs of an AsyncWorker do.
struct AsyncHandler {
    /// Begins jobs that were claimed together, on the worker's thread: it may run a transaction for all of
    /// them, and does not wait for any. Each is ended by `AsyncWorker::end` or `fail`, once, from any thread.
    /// What it throws before it has begun any is a retry of all of them, with back-off.
    std::function<void(std::vector<Claim>, AsyncWorker&, std::stop_token const&)> begin;

    /// Writes how runs ended, in the transaction that ends their claims and sees their scopes; all of them
    /// held their lease. May run more than once. When the database refuses what it writes for one of them,
    /// that job is given up, as with Outcome::record.
    std::function<void(pg::Tx&, std::span<Ending const* const>)> record;

    /// Ends what was begun only to wait. Called once, when the worker is to stop, after the last `begin`.
    std::function<void(AsyncWorker&)> stop = {};
};

struct AsyncWorkerOptions {
    std::string queue;
    std::size_t capacity = 1'024; ///< jobs at once
    /// Jobs that one claim takes of one scope, so that scopes take turns.
    std::size_t turn = 32;
    std::chrono::milliseconds lease{60'000}; ///< as WorkerOptions'
    std::chrono::milliseconds poll{1'000};   ///< look-out for due jobs when nothing wakes it
    std::optional<std::chrono::milliseconds> grace = std::nullopt; ///< as WorkerOptions'
    std::chrono::milliseconds farewell{15'000};                    ///< as WorkerOptions'
    std::function<void(pg::Tx&, Claim const&)> given_up = {};      ///< as WorkerOptions'
};

/// Runs the jobs of one queue as Worker does, very many at once, for handlers that wait without a thread. It
/// claims in bulk and writes down outcomes in bulk, on two threads of its own.
///
/// A tenant, both its scopes together, holds at most a third of the places that are free at that moment
/// (core::Shares): a quarter of all when it is alone; however much the others hold, the next tenant finds a
/// place. One claim may exceed that by a place.
///
/// A scope whose rows are locked, or whose outcomes the database refuses, keeps no other scope's outcomes
/// waiting: what cannot be written together is written scope by scope.
class AsyncWorker {
public:
    /// Starts at once. `database` and `clock` outlive the worker.
    AsyncWorker(pg::Database& database, core::Clock const& clock, AsyncWorkerOptions options,
        AsyncHandler handler, Hooks hooks = {});

    /// As `stop()`.
    ~AsyncWorker();
    AsyncWorker(AsyncWorker const&) = delete;
    AsyncWorker& operator=(AsyncWorker const&) = delete;

    /// Ends a run that was begun; what it came to is written soon. Any thread; returns at once.
    void end(Ending ending);

    /// The same for one that threw: Hooks::failed is told, and the job is retried with back-off.
    void fail(Claim claim, std::exception_ptr const& failure);

    /// As Worker's.
    void on_notification(std::string_view payload) noexcept;
    void wake() noexcept;

    /// Stops claiming and asks runs to end early; returns at once.
    void request_stop() noexcept;

    /// Stops claiming and waits until every run has ended and is written down, or for `farewell`
    /// more when the database is away.
    void stop() noexcept;

    /// Jobs held: running, or waiting to be written down.
    std::size_t in_flight() const noexcept;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace jobs
