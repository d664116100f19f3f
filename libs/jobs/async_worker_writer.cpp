// The part of AsyncWorker that writes the outcomes of runs.
#include "jobs/async_worker_impl.hpp"
#include "jobs/failure.hpp"
#include "pg/tx_batch.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace jobs {

namespace {

/// Limits how long a transaction that writes outcomes waits for row locks of other transactions.
constexpr char const* limit_lock_waits = "SELECT set_config('lock_timeout', '250ms', true)";

pg::Scopes scopes_of(std::vector<FinishedRun> const& runs)
{
    std::vector<core::ScopeId> ids;
    ids.reserve(runs.size());
    for (auto const& run : runs)
        ids.push_back(run.claim.scope_id);
    return pg::Scopes::distinct(std::move(ids));
}

} // namespace

void AsyncWorker::Impl::write_until_stopped()
{
    for (;;) {
        auto batch = next_batch();
        if (batch.empty()) return;
        write_batch(std::move(batch));
    }
}

/// Waits until outcomes can be written, and returns them. Returns an empty list after the last outcome of
/// a stopped worker.
std::vector<FinishedRun> AsyncWorker::Impl::next_batch()
{
    std::unique_lock lock(mutex);
    for (;;) {
        auto const now = Steady::now();
        if (deadline && now >= *deadline) abandon();
        if (dispatcher_ended && held.size() == 0) return {};
        auto until = now + std::chrono::hours(1);
        gathering = outcomes.are_few() && !dispatcher_ended && now < last_write + options.gather;
        if (gathering) {
            until = last_write + options.gather;
        } else if (auto batch = outcomes.next(now, until); !batch.empty()) {
            last_write = now;
            return batch;
        }
        if (deadline && *deadline > now) until = std::min(until, *deadline);
        ended_or_stopped.wait_until(lock, until);
    }
}

void AsyncWorker::Impl::write_batch(std::vector<FinishedRun> batch)
{
    auto const failure = write(batch);
    if (!failure) return;
    // If a write fails again although the database is up, the cause may be one scope's outcome. An example is
    // a statement that times out. Each scope's outcomes are then written separately.
    if (is_outage(failure) && (!database.healthy() || !in_outage())) {
        wait_for_database(std::move(batch), failure);
        return;
    }
    std::map<core::ScopeId, std::vector<FinishedRun>> by_scope;
    for (auto& run : batch)
        by_scope[run.claim.scope_id].push_back(std::move(run));
    bool const is_one = by_scope.size() == 1;
    for (auto& [scope, runs] : by_scope)
        write_scope(scope, std::move(runs), is_one ? failure : nullptr);
}

/// Writes runs of one scope. If writing exactly these runs has already failed, `failure` is that
/// failure. Otherwise it is null.
void AsyncWorker::Impl::write_scope(
    core::ScopeId scope, std::vector<FinishedRun> runs, std::exception_ptr failure)
{
    if (!failure) failure = write(runs);
    if (!failure) return;
    if (is_outage(failure) && !database.healthy()) {
        wait_for_database(std::move(runs), failure);
    } else if (is_outage(failure) || is_lock_timeout(failure)) {
        set_aside(scope, std::move(runs));
    } else if (runs.size() > 1) {
        for (auto& run : runs)
            write_scope(scope, {std::move(run)}, nullptr);
    } else {
        give_up(std::move(runs.front()), failure);
    }
}

/// Writes these runs and ends their claims in one transaction. Returns the failure, or null.
std::exception_ptr AsyncWorker::Impl::write(std::vector<FinishedRun> const& runs)
{
    return write(runs, [this](pg::Tx& tx, auto const& kept) { handler.record(tx, kept); });
}

std::exception_ptr AsyncWorker::Impl::write(std::vector<FinishedRun> const& runs, Record const& record)
{
    std::vector<std::size_t> kept;
    try {
        kept = database.transact_blocking(scopes_of(runs), [&](pg::Tx& tx) {
            tx.run(limit_lock_waits);
            pg::use_batch_plans(tx);
            auto places = end_claims(tx, runs, clock.now());
            std::vector<FinishedRun const*> of;
            of.reserve(places.size());
            for (auto const place : places)
                of.push_back(&runs[place]);
            if (!of.empty()) record(tx, std::span<FinishedRun const* const>(of));
            return places;
        });
    } catch (...) {
        return std::current_exception();
    }
    release(runs, kept);
    return nullptr;
}

/// Frees the capacity of written runs. `kept`: indices of the runs whose lease was held.
void AsyncWorker::Impl::release(std::vector<FinishedRun> const& runs, std::vector<std::size_t> const& kept)
{
    for (std::size_t i = 0; i < runs.size(); ++i) {
        auto const& run = runs[i];
        if (!std::ranges::binary_search(kept, i)) {
            if (hooks.lost) hooks.lost(run.claim);
        } else if (run.begun && hooks.finished) {
            hooks.finished(run.claim, run.kind, run.took);
        }
    }
    std::lock_guard const lock(mutex);
    outcomes.written(runs);
    for (auto const& run : runs) {
        if (run.kind == Outcome::Kind::retry) next_due = std::min(next_due, run.run_at);
        forget(run.claim);
    }
    if (may_claim_more || next_due != core::Time::max()) {
        woken = woken || may_claim_more;
        wakeup.notify_all();
    }
}

/// The lock must be held.
void AsyncWorker::Impl::forget(Claim const& claim)
{
    if (held.forget(claim)) shares.give_back(tenant_of(claim.scope_id));
}

void AsyncWorker::Impl::wait_for_database(std::vector<FinishedRun> runs, std::exception_ptr const& failure)
{
    bool is_first = false;
    {
        std::lock_guard const lock(mutex);
        is_first = outcomes.wait_for_database(std::move(runs));
        set_stop_deadline();
    }
    if (is_first && hooks.failed) hooks.failed(describe(failure), nullptr);
}

bool AsyncWorker::Impl::in_outage() const
{
    std::lock_guard const lock(mutex);
    return outcomes.in_outage();
}

void AsyncWorker::Impl::set_aside(core::ScopeId scope, std::vector<FinishedRun> runs)
{
    std::lock_guard const lock(mutex);
    outcomes.set_aside(scope, std::move(runs));
    set_stop_deadline();
}

/// Sets the deadline after which a stopping worker no longer retries to write outcomes. The lock must be
/// held.
void AsyncWorker::Impl::set_stop_deadline()
{
    if (stopping() && !deadline) deadline = Steady::now() + options.stop_timeout;
}

/// Drops the outcomes that are not written yet. Another worker claims these jobs when their leases end.
/// The lock must be held.
void AsyncWorker::Impl::abandon()
{
    for (auto const& run : outcomes.drop_all()) {
        forget(run.claim);
        if (hooks.lost) hooks.lost(run.claim);
    }
}

/// Ends a job whose outcome the database refuses, and records the reason. The job is not retried, because
/// another run would fail in the same way.
void AsyncWorker::Impl::give_up(FinishedRun run, std::exception_ptr const& failure)
{
    if (hooks.failed) hooks.failed(describe(failure), &run.claim);
    std::string const reason = dead_reason(failure);
    FinishedRun dead{.claim = run.claim, .kind = Outcome::Kind::dead, .took = run.took};
    std::vector<FinishedRun> const one{dead};
    auto const enter = [&](pg::Tx& tx) { record_dead(tx, dead.claim, reason, clock.now()); };
    auto refusal = write(one, [&](pg::Tx& tx, auto const&) {
        enter(tx);
        if (options.on_dead) options.on_dead(tx, dead.claim);
    });
    if (!refusal) return;
    if (!is_outage(refusal) && options.on_dead)
        refusal = write(one, [&](pg::Tx& tx, auto const&) { enter(tx); });
    if (!refusal) return;
    if (is_outage(refusal)) {
        std::vector<FinishedRun> again;
        again.push_back(std::move(run));
        wait_for_database(std::move(again), refusal);
        return;
    }
    if (is_lock_timeout(refusal)) {
        auto const scope = run.claim.scope_id;
        std::vector<FinishedRun> again;
        again.push_back(std::move(run));
        set_aside(scope, std::move(again));
        return;
    }
    release(one, {}); // the lease expires, and the job runs again
}

} // namespace jobs
