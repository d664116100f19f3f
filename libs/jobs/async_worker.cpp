#include "jobs/async_worker.hpp"

#include "core/shares.hpp"
#include "jobs/claimer.hpp"
#include "jobs/failure.hpp"
#include "jobs/held.hpp"
#include "jobs/unwritten.hpp"

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <stdexcept>
#include <thread>
#include <utility>

namespace jobs {

namespace {

using Milliseconds = std::chrono::milliseconds;
using Steady = std::chrono::steady_clock;

constexpr std::size_t claims_at_once = 128;
constexpr Milliseconds shortest_wait{20}; ///< between two searches for jobs that are due soon
/// Limits how long a transaction that writes outcomes waits for row locks of other transactions.
constexpr char const* limit_lock_waits = "SELECT set_config('lock_timeout', '250ms', true)";

} // namespace

struct AsyncWorker::Impl {
    Impl(AsyncWorker& s, pg::Database& d, core::Clock const& c, AsyncWorkerOptions o, AsyncHandler h, Hooks k)
        : self(s), database(d), clock(c), options(std::move(o)), handler(std::move(h)), hooks(std::move(k)),
          shares(std::max<std::size_t>(1, options.capacity), 1, 3), unwritten(options.lease),
          claimer(database, options.queue, options.lease, options.grace)
    {
        if (options.queue.empty() || !handler.begin || !handler.record)
            throw std::invalid_argument("a worker needs a queue name and a handler");
    }

    void start()
    {
        dispatcher = std::thread([this] { dispatch(); });
        settler = std::thread([this] { settle_until_stopped(); });
    }

    // --- the dispatcher: claims jobs, renews leases, starts jobs ------------------------------------------

    void dispatch()
    {
        unsigned failures = 0;
        while (!stopping()) {
            try {
                claimer.renew_when_due([this] { return all_held(); });
                bool const more = claim_some();
                failures = 0;
                if (!more) wait(std::min(options.poll, options.lease / 3));
            } catch (...) {
                if (failures == 0 && hooks.failed) hooks.failed(describe(std::current_exception()), nullptr);
                sleep(outage_pause(failures++, options.lease));
            }
        }
        if (handler.stop) handler.stop(self);
        std::lock_guard const lock(mutex);
        dispatched = true;
        ended_or_stopped.notify_all();
    }

    /// Makes one claim. Returns false if no further claim is useful before the next poll or wake-up.
    bool claim_some()
    {
        ClaimRequest request{.queue = {}, .running = {}};
        {
            std::lock_guard const lock(mutex);
            woken = false;
            if (next_due <= clock.now()) next_due = core::Time::max();
            restrict(request);
        }
        if (request.limit == 0) return false;
        auto taken = claimer.take(std::move(request));
        begin(std::move(taken.claims));
        return taken.more;
    }

    /// Sets the limits of a claim according to the free capacity and the number of jobs that each tenant
    /// holds. The lock must be held.
    void restrict(ClaimRequest& request)
    {
        std::size_t const free = shares.capacity() - std::min(shares.used(), shares.capacity());
        request.limit = std::min(claims_at_once, free);
        bool const some_limited = held.limit_scopes(
            request, options.turn, [this](std::int64_t tenant) { return shares.allowance(tenant); });
        hungry = some_limited || request.limit == 0;
    }

    void begin(std::vector<Claim> claims)
    {
        if (claims.empty()) return;
        std::vector<Claim> batch;
        batch.reserve(claims.size());
        {
            std::lock_guard const lock(mutex);
            hungry = true;
            for (auto const& claim : claims)
                shares.take(tenant_of(claim.scope_id));
            held.add(std::move(claims));
            while (auto claim = held.begin_next())
                batch.push_back(std::move(*claim));
        }
        try {
            handler.begin(batch, self, stop_source.get_token());
        } catch (...) {
            not_begun(std::move(batch), std::current_exception());
        }
    }

    /// Ends jobs whose `begin` threw. If the cause is an outage, nothing was tried. So the attempts do not
    /// count, and the outage is reported once for all these jobs.
    void not_begun(std::vector<Claim> batch, std::exception_ptr const& failure)
    {
        bool const away = is_outage(failure);
        if (away && hooks.failed) hooks.failed(describe(failure), nullptr);
        for (auto& claim : batch) {
            if (away)
                end({.claim = std::move(claim),
                    .kind = Outcome::Kind::retry,
                    .run_at = clock.now(),
                    .counted = false,
                    .begun = false});
            else
                fail(std::move(claim), failure);
        }
    }

    std::vector<Claim> all_held() const
    {
        std::lock_guard const lock(mutex);
        return held.all();
    }

    // --- outcomes of runs --------------------------------------------------------------------------------

    void fail(Claim claim, std::exception_ptr const& failure)
    {
        if (hooks.failed) hooks.failed(describe(failure), &claim);
        auto const pause = pause_after_failure(claim.attempts);
        end({.claim = std::move(claim), .kind = Outcome::Kind::retry, .run_at = clock.now() + pause});
    }

    void end(Ending ending)
    {
        std::lock_guard const lock(mutex);
        unwritten.push(std::move(ending));
        ended_or_stopped.notify_one();
    }

    // --- the settler: writes the outcomes of runs ----------------------------------------------------------

    void settle_until_stopped()
    {
        for (;;) {
            auto batch = next_batch();
            if (batch.empty()) return;
            settle_some(std::move(batch));
        }
    }

    /// Waits until outcomes can be written, and returns them. Returns an empty list after the last outcome of
    /// a stopped worker.
    std::vector<Ending> next_batch()
    {
        std::unique_lock lock(mutex);
        for (;;) {
            auto const now = Steady::now();
            if (deadline && now >= *deadline) abandon();
            if (dispatched && held.size() == 0) return {};
            auto until = now + std::chrono::hours(1);
            if (auto batch = unwritten.next(now, until); !batch.empty()) return batch;
            if (deadline && *deadline > now) until = std::min(until, *deadline);
            ended_or_stopped.wait_until(lock, until);
        }
    }

    void settle_some(std::vector<Ending> batch)
    {
        auto const failure = write(batch);
        if (!failure) return;
        // If a write fails again although the database is up, the cause may be the outcome of one scope, for
        // example a statement that times out. Each scope's outcomes are then written separately.
        if (is_outage(failure) && (!database.healthy() || !in_outage())) {
            wait_for_database(std::move(batch), failure);
            return;
        }
        std::map<std::int64_t, std::vector<Ending>> by_scope;
        for (auto& ending : batch)
            by_scope[ending.claim.scope_id].push_back(std::move(ending));
        bool const is_one = by_scope.size() == 1;
        for (auto& [scope, endings] : by_scope)
            settle_scope(scope, std::move(endings), is_one ? failure : nullptr);
    }

    /// Writes endings of one scope. If writing exactly these endings has already failed, `failure` is that
    /// failure. Otherwise it is null.
    void settle_scope(std::int64_t scope, std::vector<Ending> endings, std::exception_ptr failure)
    {
        if (!failure) failure = write(endings);
        if (!failure) return;
        if (is_outage(failure) && !database.healthy()) {
            wait_for_database(std::move(endings), failure);
        } else if (is_outage(failure) || is_lock_timeout(failure)) {
            set_aside(scope, std::move(endings));
        } else if (endings.size() > 1) {
            for (auto& ending : endings)
                settle_scope(scope, {std::move(ending)}, nullptr);
        } else {
            give_up(std::move(endings.front()), failure);
        }
    }

    /// Writes these endings and ends their claims in one transaction. Returns the failure, or null.
    std::exception_ptr write(std::vector<Ending> const& endings)
    {
        return write(endings, [this](pg::Tx& tx, auto const& kept) { handler.record(tx, kept); });
    }

    template <class Record> std::exception_ptr write(std::vector<Ending> const& endings, Record record)
    {
        std::vector<std::size_t> kept;
        try {
            kept = database.transact_blocking(scopes_of(endings), [&](pg::Tx& tx) {
                tx.run(limit_lock_waits);
                auto places = settle(tx, endings, clock.now());
                std::vector<Ending const*> of;
                of.reserve(places.size());
                for (auto const place : places)
                    of.push_back(&endings[place]);
                if (!of.empty()) record(tx, std::span<Ending const* const>(of));
                return places;
            });
        } catch (...) {
            return std::current_exception();
        }
        release(endings, kept);
        return nullptr;
    }

    static pg::Scopes scopes_of(std::vector<Ending> const& endings)
    {
        std::set<std::int64_t> ids;
        for (auto const& ending : endings)
            ids.insert(ending.claim.scope_id);
        return pg::Scopes(std::vector<std::int64_t>(ids.begin(), ids.end()));
    }

    /// Frees the capacity of written endings. `kept`: indices of the endings whose lease was held.
    void release(std::vector<Ending> const& endings, std::vector<std::size_t> const& kept)
    {
        for (std::size_t i = 0; i < endings.size(); ++i) {
            auto const& ending = endings[i];
            if (!std::ranges::binary_search(kept, i)) {
                if (hooks.lost) hooks.lost(ending.claim);
            } else if (ending.begun && hooks.finished) {
                hooks.finished(ending.claim, ending.kind, ending.took);
            }
        }
        std::lock_guard const lock(mutex);
        unwritten.written(endings);
        for (auto const& ending : endings) {
            if (ending.kind == Outcome::Kind::retry) next_due = std::min(next_due, ending.run_at);
            forget(ending.claim);
        }
        if (hungry || next_due != core::Time::max()) {
            woken = woken || hungry;
            wakeup.notify_all();
        }
    }

    /// The lock must be held.
    void forget(Claim const& claim)
    {
        if (held.forget(claim)) shares.give(tenant_of(claim.scope_id));
    }

    void wait_for_database(std::vector<Ending> endings, std::exception_ptr const& failure)
    {
        bool is_first = false;
        {
            std::lock_guard const lock(mutex);
            is_first = unwritten.wait_for_database(std::move(endings));
            limit_farewell();
        }
        if (is_first && hooks.failed) hooks.failed(describe(failure), nullptr);
    }

    bool in_outage() const
    {
        std::lock_guard const lock(mutex);
        return unwritten.in_outage();
    }

    void set_aside(std::int64_t scope, std::vector<Ending> endings)
    {
        std::lock_guard const lock(mutex);
        unwritten.set_aside(scope, std::move(endings));
        limit_farewell();
    }

    /// Sets the deadline after which a stopping worker no longer retries to write outcomes. The lock must be
    /// held.
    void limit_farewell()
    {
        if (stopping() && !deadline) deadline = Steady::now() + options.farewell;
    }

    /// Drops the outcomes that are not written yet. Another worker claims these jobs when their leases end.
    /// The lock must be held.
    void abandon()
    {
        for (auto const& ending : unwritten.drop_all()) {
            forget(ending.claim);
            if (hooks.lost) hooks.lost(ending.claim);
        }
    }

    /// Ends a job whose outcome the database refuses, and records the reason. The job is not retried, because
    /// another run would fail in the same way.
    void give_up(Ending ending, std::exception_ptr const& failure)
    {
        if (hooks.failed) hooks.failed(describe(failure), &ending.claim);
        std::string const reason = dead_reason(failure);
        Ending dead{.claim = ending.claim, .kind = Outcome::Kind::dead, .took = ending.took};
        std::vector<Ending> const one{dead};
        auto const enter = [&](pg::Tx& tx) { record_dead(tx, dead.claim, reason, clock.now()); };
        auto refusal = write(one, [&](pg::Tx& tx, auto const&) {
            enter(tx);
            if (options.given_up) options.given_up(tx, dead.claim);
        });
        if (!refusal) return;
        if (!is_outage(refusal) && options.given_up)
            refusal = write(one, [&](pg::Tx& tx, auto const&) { enter(tx); });
        if (!refusal) return;
        if (is_outage(refusal)) {
            std::vector<Ending> again;
            again.push_back(std::move(ending));
            wait_for_database(std::move(again), refusal);
            return;
        }
        if (is_lock_timeout(refusal)) {
            auto const scope = ending.claim.scope_id;
            std::vector<Ending> again;
            again.push_back(std::move(ending));
            set_aside(scope, std::move(again));
            return;
        }
        release(one, {}); // the lease expires, and the job runs again
    }

    // --- waiting -------------------------------------------------------------------------------------------

    bool stopping() const noexcept { return stop_source.stop_requested(); }

    void wait(Milliseconds limit)
    {
        std::unique_lock lock(mutex);
        auto const begin = Steady::now();
        for (;;) {
            auto until = begin + limit;
            if (next_due != core::Time::max()) {
                auto const due = std::chrono::duration_cast<Milliseconds>(next_due - clock.now());
                until = std::min(until, begin + std::max(due, shortest_wait));
            }
            if (woken || stopping() || Steady::now() >= until) return;
            wakeup.wait_until(lock, until);
        }
    }

    void sleep(Milliseconds limit)
    {
        std::unique_lock lock(mutex);
        wakeup.wait_for(lock, limit, [&] { return stopping(); });
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
    }

    void stop() noexcept
    {
        request_stop();
        std::lock_guard const lock(joining);
        if (dispatcher.joinable()) dispatcher.join();
        if (settler.joinable()) settler.join();
    }

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
    Held held;
    core::Shares<std::int64_t> shares; ///< of the capacity, per tenant
    Unwritten unwritten;
    core::Time next_due = core::Time::max(); ///< the earliest due time of the jobs that were put off
    bool woken = false;
    bool hungry = false; ///< whether freed capacity may allow another claim
    bool dispatched = false;
    std::optional<Steady::time_point> deadline;

    Claimer claimer; ///< used by the dispatcher
    std::mutex joining;
    std::thread dispatcher;
    std::thread settler;
};

AsyncWorker::AsyncWorker(pg::Database& database, core::Clock const& clock, AsyncWorkerOptions options,
    AsyncHandler handler, Hooks hooks)
    : impl_(std::make_unique<Impl>(
          *this, database, clock, std::move(options), std::move(handler), std::move(hooks)))
{
    impl_->start();
}

AsyncWorker::~AsyncWorker()
{
    stop();
}

void AsyncWorker::end(Ending ending)
{
    impl_->end(std::move(ending));
}

void AsyncWorker::fail(Claim claim, std::exception_ptr const& failure)
{
    impl_->fail(std::move(claim), failure);
}

void AsyncWorker::on_notification(std::string_view payload) noexcept
{
    if (payload == impl_->options.queue) wake();
}

void AsyncWorker::wake() noexcept
{
    impl_->wake();
}

void AsyncWorker::request_stop() noexcept
{
    impl_->request_stop();
}

void AsyncWorker::stop() noexcept
{
    impl_->stop();
}

std::size_t AsyncWorker::in_flight() const noexcept
{
    std::lock_guard const lock(impl_->mutex);
    return impl_->held.size();
}

} // namespace jobs
