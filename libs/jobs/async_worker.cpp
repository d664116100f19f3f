#include "jobs/async_worker.hpp"

#include "jobs/async_worker_impl.hpp"
#include "jobs/failure.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace jobs {

namespace {

constexpr std::size_t claims_at_once = 128;
constexpr std::chrono::milliseconds shortest_wait{20}; ///< between two searches for jobs that are due soon

} // namespace

AsyncWorker::Impl::Impl(
    AsyncWorker& s, pg::Database& d, core::Clock const& c, AsyncWorkerOptions o, AsyncHandler h, Hooks k)
    : self(s), database(d), clock(c), options(std::move(o)), handler(std::move(h)), hooks(std::move(k)),
      shares(std::max<std::size_t>(1, options.capacity), 1, 3), outcomes(options.lease),
      claimer(database, options.queue, options.lease, options.takeover_delay)
{
    if (options.queue.empty() || !handler.begin || !handler.record)
        throw std::invalid_argument("a worker needs a queue name and a handler");
}

void AsyncWorker::Impl::start()
{
    dispatcher = std::thread([this] { dispatch(); });
    writer = std::thread([this] { write_until_stopped(); });
}

void AsyncWorker::Impl::dispatch()
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
    dispatcher_ended = true;
    ended_or_stopped.notify_all();
}

/// Makes one claim. Returns false if no further claim is useful before the next poll or wake-up.
bool AsyncWorker::Impl::claim_some()
{
    ClaimRequest request{.queue = {}, .running = {}};
    {
        std::lock_guard const lock(mutex);
        if (claimer.between_rounds()) {
            woken = false;
            last_round = Steady::now();
        }
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
void AsyncWorker::Impl::restrict(ClaimRequest& request)
{
    std::size_t const free = shares.capacity() - std::min(shares.used(), shares.capacity());
    request.limit = std::min(claims_at_once, free);
    bool const some_limited =
        held.limit_scopes(request, options.claim_per_scope, [this](core::TenantId tenant) {
            auto const allowance = shares.allowance(tenant);
            if (!options.limit_of_tenant) return allowance;
            auto const limit = options.limit_of_tenant(tenant);
            return std::min(allowance, limit - std::min(shares.held(tenant), limit));
        });
    may_claim_more = some_limited || request.limit == 0;
}

void AsyncWorker::Impl::begin(std::vector<Claim> claims)
{
    if (claims.empty()) return;
    std::vector<Claim> batch;
    batch.reserve(claims.size());
    {
        std::lock_guard const lock(mutex);
        may_claim_more = true;
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
void AsyncWorker::Impl::not_begun(std::vector<Claim> batch, std::exception_ptr const& failure)
{
    bool const away = is_outage(failure);
    if (away && hooks.failed) hooks.failed(describe(failure), nullptr);
    for (auto& claim : batch) {
        if (away)
            finish({.claim = std::move(claim),
                .kind = Outcome::Kind::retry,
                .run_at = clock.now(),
                .counted = false,
                .begun = false});
        else
            fail(std::move(claim), failure);
    }
}

std::vector<Claim> AsyncWorker::Impl::all_held() const
{
    std::lock_guard const lock(mutex);
    return held.all();
}

void AsyncWorker::Impl::fail(Claim claim, std::exception_ptr const& failure)
{
    if (hooks.failed) hooks.failed(describe(failure), &claim);
    auto const pause = pause_after_failure(claim.attempts);
    finish({.claim = std::move(claim), .kind = Outcome::Kind::retry, .run_at = clock.now() + pause});
}

void AsyncWorker::Impl::finish(FinishedRun run)
{
    std::lock_guard const lock(mutex);
    outcomes.push(std::move(run));
    if (!gathering || !outcomes.are_few()) ended_or_stopped.notify_one();
}

void AsyncWorker::Impl::wait(Milliseconds limit)
{
    std::unique_lock lock(mutex);
    auto const begin = Steady::now();
    for (;;) {
        auto until = begin + limit;
        if (next_due != core::Time::max()) {
            auto const due = std::chrono::duration_cast<Milliseconds>(next_due - clock.now());
            until = std::min(until, begin + std::max(due, shortest_wait));
        }
        if (woken) until = std::min(until, last_round + options.gather);
        if (stopping() || Steady::now() >= until) return;
        wakeup.wait_until(lock, until);
    }
}

void AsyncWorker::Impl::sleep(Milliseconds limit)
{
    std::unique_lock lock(mutex);
    wakeup.wait_for(lock, limit, [&] { return stopping(); });
}

void AsyncWorker::Impl::wake() noexcept
{
    {
        std::lock_guard const lock(mutex);
        woken = true;
    }
    wakeup.notify_all();
}

void AsyncWorker::Impl::request_stop() noexcept
{
    stop_source.request_stop();
    { // a thread that checked the flag before it was set now waits, so `notify_all` reaches it
        std::lock_guard const lock(mutex);
    }
    wakeup.notify_all();
}

void AsyncWorker::Impl::stop() noexcept
{
    request_stop();
    std::lock_guard const lock(joining);
    if (dispatcher.joinable()) dispatcher.join();
    if (writer.joinable()) writer.join();
}

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

void AsyncWorker::finish(FinishedRun run)
{
    impl_->finish(std::move(run));
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
