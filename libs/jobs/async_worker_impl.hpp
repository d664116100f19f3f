#pragma once
// Internal to AsyncWorker: its two threads. async_worker.cpp has the functions of the dispatcher, and
// async_worker_writer.cpp has the functions of the writer.

#include "core/scope.hpp"
#include "core/shares.hpp"
#include "jobs/async_worker.hpp"
#include "jobs/claimer.hpp"
#include "jobs/held_claims.hpp"
#include "jobs/outcome_buffer.hpp"

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace jobs {

struct AsyncWorker::Impl {
    using Milliseconds = std::chrono::milliseconds;
    using Steady = std::chrono::steady_clock;
    using Record = std::function<void(pg::Tx&, std::span<FinishedRun const* const>)>;

    Impl(
        AsyncWorker& s, pg::Database& d, core::Clock const& c, AsyncWorkerOptions o, AsyncHandler h, Hooks k);

    void start();

    // --- the dispatcher: claims jobs, renews leases, starts jobs
    void dispatch();
    bool claim_some();
    void restrict(ClaimRequest& request);
    void begin(std::vector<Claim> claims);
    void not_begun(std::vector<Claim> batch, std::exception_ptr const& failure);
    std::vector<Claim> all_held() const;
    void wait(Milliseconds limit);
    void sleep(Milliseconds limit);

    // --- the ends of runs, on any thread
    void fail(Claim claim, std::exception_ptr const& failure);
    void finish(FinishedRun run);

    // --- the writer: writes the outcomes of runs
    void write_until_stopped();
    std::vector<FinishedRun> next_batch();
    void write_batch(std::vector<FinishedRun> batch);
    void write_scope(core::ScopeId scope, std::vector<FinishedRun> runs, std::exception_ptr failure);
    std::exception_ptr write(std::vector<FinishedRun> const& runs);
    std::exception_ptr write(std::vector<FinishedRun> const& runs, Record const& record);
    void release(std::vector<FinishedRun> const& runs, std::vector<std::size_t> const& kept);
    void forget(Claim const& claim);
    void wait_for_database(std::vector<FinishedRun> runs, std::exception_ptr const& failure);
    bool in_outage() const;
    void set_aside(core::ScopeId scope, std::vector<FinishedRun> runs);
    void set_stop_deadline();
    void abandon();
    void give_up(FinishedRun run, std::exception_ptr const& failure);

    bool stopping() const noexcept { return stop_source.stop_requested(); }

    void wake() noexcept;
    void request_stop() noexcept;
    void stop() noexcept;

    AsyncWorker& self;
    pg::Database& database;
    core::Clock const& clock;
    AsyncWorkerOptions const options;
    AsyncHandler const handler;
    Hooks const hooks;

    std::stop_source stop_source;
    mutable std::mutex mutex; ///< protects the members up to `deadline`
    std::condition_variable wakeup;
    std::condition_variable ended_or_stopped;
    HeldClaims held;
    core::Shares<core::TenantId> shares; ///< of the capacity, per tenant
    OutcomeBuffer outcomes;
    core::Time next_due = core::Time::max(); ///< the earliest due time of the jobs that were put off
    bool woken = false;
    bool may_claim_more = false; ///< whether freed capacity may allow another claim
    bool gathering = false;      ///< whether the writer waits for more outcomes
    bool dispatcher_ended = false;
    std::optional<Steady::time_point> deadline;

    Claimer claimer;               ///< used by the dispatcher
    Steady::time_point last_round; ///< used by the dispatcher: the beginning of its last round of claims
    Steady::time_point last_write; ///< used by the writer: the beginning of its last write
    std::mutex joining;
    std::thread dispatcher;
    std::thread writer;
};

} // namespace jobs
