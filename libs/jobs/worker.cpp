#include "jobs/worker.hpp"

#include "jobs/claimer.hpp"
#include "jobs/failure.hpp"
#include "jobs/held_claims.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace jobs {

namespace {

using Milliseconds = std::chrono::milliseconds;
using SteadyClock = std::chrono::steady_clock;
using SteadyTime = SteadyClock::time_point;

constexpr Milliseconds shortest_pause{100};

struct LeaseLost {};

Outcome run_guarded(Handler const& handler, Claim& claim, std::stop_token const& stop,
    core::Clock const& clock, Hooks const& hooks)
{
    try {
        return handler(claim, stop);
    } catch (...) {
        if (hooks.failed) hooks.failed(describe(std::current_exception()), &claim);
    }
    return Outcome::retry(clock.now() + pause_after_failure(claim.attempts));
}

} // namespace

struct Worker::Impl {
    Impl(pg::Database& d, core::Clock const& c, WorkerOptions o, Handler h, Hooks k)
        : database(d), clock(c), options(std::move(o)), handler(std::move(h)), hooks(std::move(k)),
          claimer(database, options.queue, options.lease, options.takeover_delay)
    {
        options.threads = std::max(1U, options.threads);
        if (options.max_per_tenant == 0) options.max_per_tenant = std::max(1U, options.threads / 2);
        if (options.queue.empty() || !handler)
            throw std::invalid_argument("a worker needs a queue name and a handler");
        for (unsigned i = 0; i < options.threads; ++i)
            threads.emplace_back([this] { run(); });
        threads.emplace_back([this] { dispatch(); });
    }

    // --- the dispatcher: claims jobs, renews leases, passes jobs to the runners

    void dispatch()
    {
        unsigned failures = 0;
        while (!stopping()) {
            Milliseconds pause{0};
            try {
                claimer.renew_when_due([this] { return all_held(); });
                if (!claim_some()) pause = std::min(options.poll, options.lease / 3);
                failures = 0;
            } catch (...) {
                if (failures == 0 && hooks.failed) hooks.failed(describe(std::current_exception()), nullptr);
                pause = outage_pause(failures++, options.lease);
                // This sleep ignores `wake`, because an earlier attempt would only fail earlier.
                sleep(pause);
                continue;
            }
            if (pause.count() > 0) wait(pause);
        }
        give_back_waiting();
    }

    /// Makes one claim. Returns false if no further claim is useful before the next poll or wake-up.
    bool claim_some()
    {
        ClaimRequest request{.queue = {}, .running = {}};
        {
            std::lock_guard const lock(mutex);
            if (claimer.between_rounds()) woken = false;
            request.limit = options.threads - held.size();
            held.limit_scopes(request, options.threads, [this](core::TenantId tenant) {
                return options.max_per_tenant -
                       std::min<std::size_t>(held.of_tenant(tenant), options.max_per_tenant);
            });
        }
        if (request.limit == 0) return false;
        auto taken = claimer.take(std::move(request));
        hand_out(std::move(taken.claims));
        return taken.more;
    }

    void hand_out(std::vector<Claim> claims)
    {
        if (claims.empty()) return;
        std::lock_guard const lock(mutex);
        held.add(std::move(claims));
        work.notify_all();
    }

    std::vector<Claim> all_held() const
    {
        std::lock_guard const lock(mutex);
        return held.all();
    }

    void give_back_waiting() noexcept
    {
        std::vector<Claim> unbegun;
        {
            std::lock_guard const lock(mutex);
            unbegun = held.drop_ready();
        }
        try {
            if (!unbegun.empty()) {
                database.transact_blocking(pg::Scopes{}, [&](pg::Tx& tx) { give_back(tx, unbegun); });
            }
        } catch (...) {
            if (hooks.failed)
                hooks.failed("cannot release the claims of jobs that were not started: " +
                                 describe(std::current_exception()),
                    nullptr);
        }
    }

    // --- the runners: run handlers and write the outcomes

    void run()
    {
        while (auto claim = next()) {
            auto const begin = std::chrono::steady_clock::now();
            Outcome outcome = run_guarded(handler, *claim, stop_source.get_token(), clock, hooks);
            bool const written = write(*claim, outcome);
            release(*claim);
            if (!written) {
                if (hooks.lost) hooks.lost(*claim);
            } else if (hooks.finished) {
                hooks.finished(*claim, outcome.kind, std::chrono::steady_clock::now() - begin);
            }
        }
    }

    std::optional<Claim> next()
    {
        std::unique_lock lock(mutex);
        work.wait(lock, [&] { return stopping() || held.has_ready(); });
        if (stopping()) return std::nullopt;
        return held.begin_next();
    }

    /// Ends the claim in the database. Retries during an outage; after a stop, for at most `stop_timeout`.
    /// Returns false if the lease was lost or the outcome could not be written. If the database refuses the
    /// outcome, the job is given up: an outcome that records the reason replaces `outcome`.
    bool write(Claim const& claim, Outcome& outcome)
    {
        std::optional<SteadyTime> deadline;
        std::vector<Outcome> dead;
        bool refused = false;
        for (unsigned failures = 0;; ++failures) {
            try {
                database.transact_blocking(
                    pg::Scopes(claim.scope_id), [&](pg::Tx& tx) { end(tx, claim, outcome); });
                return true;
            } catch (LeaseLost const&) {
                return false;
            } catch (...) {
                auto const failure = std::current_exception();
                bool const outage = is_outage(failure);
                if ((failures == 0 || !outage) && hooks.failed) hooks.failed(describe(failure), &claim);
                if (!outage) {
                    if (!std::exchange(refused, true)) dead = dead_outcomes(claim, dead_reason(failure));
                    if (dead.empty()) return false; // the lease expires, and the job runs again
                    outcome = std::move(dead.back());
                    dead.pop_back();
                    continue;
                }
            }
            auto const now = std::chrono::steady_clock::now();
            if (stopping() && !deadline) deadline = now + options.stop_timeout;
            if (deadline && now >= *deadline) return false;
            sleep(outage_pause(failures, options.lease));
        }
    }

    /// Returns the outcomes that may replace an outcome that the database refuses. The caller tries the last
    /// one first.
    std::vector<Outcome> dead_outcomes(Claim const& claim, std::string const& reason) const
    {
        auto const enter = [claim, reason, now = clock.now()](
                               pg::Tx& tx) { record_dead(tx, claim, reason, now); };
        std::vector<Outcome> dead;
        dead.push_back(Outcome::dead(enter));
        if (options.on_dead) {
            dead.push_back(Outcome::dead([=, tell = options.on_dead](pg::Tx& tx) {
                enter(tx);
                tell(tx, claim);
            }));
        }
        return dead;
    }

    void end(pg::Tx& tx, Claim const& claim, Outcome const& outcome) const
    {
        bool const ended = outcome.kind == Outcome::Kind::retry
                               ? put_off(tx, claim, outcome.run_at - clock.now(), outcome.counted)
                               : complete(tx, claim);
        if (!ended) throw LeaseLost{};
        if (outcome.record) outcome.record(tx);
    }

    /// Removes the claim. Wakes the dispatcher if all threads were busy or the tenant had its maximum number
    /// of jobs, because more jobs can be claimed now.
    void release(Claim const& claim)
    {
        {
            std::lock_guard const lock(mutex);
            bool const scarce = held.size() >= options.threads ||
                                held.of_tenant(tenant_of(claim.scope_id)) >= options.max_per_tenant;
            held.forget(claim);
            if (!scarce) return;
            woken = true;
        }
        wakeup.notify_all();
    }

    // --- waiting

    bool stopping() const noexcept { return stop_source.stop_requested(); }

    void wait(Milliseconds limit)
    {
        std::unique_lock lock(mutex);
        wakeup.wait_for(lock, limit, [&] { return woken || stopping(); });
    }

    void sleep(Milliseconds limit)
    {
        std::unique_lock lock(mutex);
        if (stopping()) limit = std::min(limit, shortest_pause);
        wakeup.wait_for(lock, limit, [&, was = stopping()] { return stopping() != was; });
    }

    void wake() noexcept
    {
        {
            std::lock_guard const lock(mutex);
            woken = true;
        }
        wakeup.notify_all();
    }

    void request_stop() noexcept
    {
        stop_source.request_stop();
        { // a thread that checked the flag before it was set now waits, so `notify_all` reaches it
            std::lock_guard const lock(mutex);
        }
        wakeup.notify_all();
        work.notify_all();
    }

    void stop() noexcept
    {
        request_stop();
        std::lock_guard const lock(joining);
        for (auto& t : threads) {
            if (t.joinable()) t.join();
        }
    }

    pg::Database& database;
    core::Clock const& clock;
    WorkerOptions options;
    Handler const handler;
    Hooks const hooks;

    std::stop_source stop_source;
    mutable std::mutex mutex; ///< protects the members up to `woken`
    std::condition_variable work;
    std::condition_variable wakeup;
    HeldClaims held;
    bool woken = false;

    Claimer claimer; ///< used by the dispatcher

    std::mutex joining;
    std::vector<std::thread> threads;
};

Worker::Worker(
    pg::Database& database, core::Clock const& clock, WorkerOptions options, Handler handler, Hooks hooks)
    : impl_(std::make_unique<Impl>(database, clock, std::move(options), std::move(handler), std::move(hooks)))
{
}

Worker::~Worker()
{
    stop();
}

void Worker::on_notification(std::string_view payload) noexcept
{
    if (payload == impl_->options.queue) wake();
}

void Worker::wake() noexcept
{
    impl_->wake();
}

void Worker::request_stop() noexcept
{
    impl_->request_stop();
}

void Worker::stop() noexcept
{
    impl_->stop();
}

std::size_t Worker::in_flight() const noexcept
{
    std::lock_guard const lock(impl_->mutex);
    return impl_->held.size();
}

} // namespace jobs
