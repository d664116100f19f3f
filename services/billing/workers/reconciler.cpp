#include "workers/reconciler.hpp"

#include "audit/audit.hpp"
#include "core/backoff.hpp"
#include "crypto/random.hpp"
#include "domain/settings.hpp"
#include "ingest/sync.hpp"
#include "jobs/failure.hpp"
#include "jobs/queue.hpp"
#include "pg/database.hpp"
#include "storage/syncs.hpp"
#include "storage/user_erasure.hpp"
#include "tenancy/settings.hpp"
#include "tenancy/tenant_rows.hpp"

#include <algorithm>
#include <exception>
#include <utility>
#include <vector>

namespace billing::reconciler {

namespace {

using namespace std::chrono_literals;
using jobs::Outcome;
using Kind = ProviderApiError::Kind;

constexpr auto refusal_delay = 1h;       // the tenant has to change the key
constexpr auto unknown_user_delay = 24h; // the user may become known, or the entitlement may end
constexpr auto failure_delay = 1h; // for the user whose sync failed, because the user's data may be the cause
constexpr std::size_t scopes_per_step = 500;

/// The sync of one user with one provider.
struct Task {
    syncs::Lease lease;
    Source source{};
    bool is_requested = false; ///< whether an event has requested it
    ingest::SyncStart start;
};

/// One run of a tenant's job: syncs users of the tenant one after the other.
class Run {
public:
    Run(Deps const& deps, jobs::Claim const& claim, std::stop_token const& stop)
        : deps_(deps), claim_(claim), stop_(stop), tenant_id_(core::tenant_of(claim.scope_id))
    {
    }

    Outcome operator()()
    {
        if (begin())
            deps_.logger.warn("too many sync requests wait; new ones are dropped",
                {{"tenant", core::to_string(tenant_id_)}});
        for (unsigned i = 0; i < users_per_run && !stop_.stop_requested(); ++i) {
            // Users with requests and overdue users take turns.
            bool const overdue_first = i % 2 == 1;
            auto task = sources_.empty() ? std::nullopt : next(overdue_first);
            if (!task && !sources_.empty()) task = next(!overdue_first);
            if (!task) return retry_at_ ? Outcome::retry(*retry_at_) : Outcome::done();
            if (!sync(*task)) return Outcome::not_yet(deps_.clock.now());
        }
        return sources_.empty() && retry_at_ ? Outcome::retry(*retry_at_)
                                             : Outcome::not_yet(deps_.clock.now() + between_runs);
    }

private:
    template <class Work> auto transact(Work work)
    {
        return deps_.db.transact_blocking(pg::Scopes::of_tenant(tenant_id_), std::move(work));
    }

    /// Reads the providers' API keys. There are none if the tenant is suspended. Returns whether requests for
    /// syncs are dropped, because too many wait.
    bool begin()
    {
        return transact([&](pg::Tx& tx) {
            sources_.clear();
            if (tenancy::tenant_rows::is_suspended(tx, tenant_id_)) return false;
            auto const home = core::Scope::of(tenant_id_, core::Environment::production, {});
            auto const document = tenancy::settings::read(tx, home).document;
            purchases_key_ = settings::purchases_api_key(document, tenant_id_, deps_.keyring);
            payments_key_ = settings::payments_api_key(document, tenant_id_, deps_.keyring);
            if (!purchases_key_.empty()) sources_.push_back(Source::purchases);
            if (!payments_key_.empty()) sources_.push_back(Source::payments);
            return sync_requests::is_full(tx, tenant_id_);
        });
    }

    /// The next sync of an overdue user, or of a user with a request.
    std::optional<Task> next(bool overdue)
    {
        return transact([&](pg::Tx& tx) -> std::optional<Task> {
            auto const now = jobs::now(tx); // the database's clock, because the clocks of replicas differ
            auto const request = overdue ? std::nullopt : next_request(tx, now);
            if (!overdue && !request) return std::nullopt;
            auto const source = request ? request->source : Source::purchases;
            if (std::ranges::find(sources_, source) == sources_.end()) return std::nullopt;
            auto lease = request ? syncs::acquire(tx, tenant_id_, request->user_id, now)
                                 : syncs::acquire_overdue(tx, tenant_id_, now);
            if (!lease) return std::nullopt;
            auto start = ingest::start_sync(tx, tenant_id_, lease->user_id);
            return Task{*std::move(lease), source, request.has_value(), std::move(start)};
        });
    }

    /// The next request. Deletes the requests of users whose account was deleted.
    std::optional<sync_requests::Waiting> next_request(pg::Tx& tx, core::Time now)
    {
        for (;;) {
            auto request = sync_requests::next(tx, tenant_id_, sources_, now);
            if (!request) return std::nullopt;
            if (!user_erasure::is_deleted(tx, request->scope_id, request->user_id)) return request;
            sync_requests::remove(tx, request->scope_id, request->user_id);
        }
    }

    /// false: the service is stopping.
    bool sync(Task const& task)
    {
        try {
            apply(task, fetch(task));
        } catch (ProviderApiError const& e) {
            if (e.kind() == Kind::stopped) {
                transact([&](pg::Tx& tx) { syncs::release(tx, task.lease); });
                return false;
            }
            handle_failure(task, e);
        } catch (...) {
            // A failure for one user must not block the tenant's other users.
            if (!jobs::is_outage(std::current_exception()))
                transact([&](pg::Tx& tx) { end(tx, task, jobs::now(tx) + failure_delay); });
            throw;
        }
        return true;
    }

    ingest::FetchedState fetch(Task const& task)
    {
        ingest::FetchedState fetched;
        if (task.source == Source::payments) {
            PaymentsCall const call{.api_key = payments_key_,
                .stop = stop_,
                .deadline = std::chrono::steady_clock::now() + payments_time_limit};
            fetched.payments = ingest::fetch_payments(deps_.payments_api, task.start, call, deps_.clock);
        } else {
            fetched.purchases =
                ingest::fetch_purchases(deps_.purchases_api, task.start, purchases_key_, deps_.clock, stop_);
        }
        return fetched;
    }

    void apply(Task const& task, ingest::FetchedState const& fetched)
    {
        // Callers of POST /v1/sync rely on what a sync confirms. The reconciler syncs some users every hour
        // for months, so it stores only changes: an event that arrives late and is later than the stored ones
        // does not contradict what the provider confirmed.
        ingest::SyncContext const context{.lease = task.lease,
            .sent_at = task.start.sent_at,
            .traceparent = {},
            .now = deps_.clock.now(),
            .confirms = false};
        transact([&](pg::Tx& tx) {
            auto const results = ingest::apply_sync(tx, context, fetched);
            for (auto const& result : results) {
                if (auto const entry = result.audit_entry(task.lease.user_id))
                    audit::record(tx, result.scope,
                        {.id = "system:reconciler", .role = "system", .request_id = {}}, *entry);
            }
        });
    }

    /// Ends a sync that has failed. The user is synced again for the same reason after `not_before`.
    void end(pg::Tx& tx, Task const& task, std::optional<core::Time> not_before)
    {
        syncs::release(tx, task.lease, task.is_requested ? std::nullopt : not_before);
        if (task.is_requested && not_before)
            sync_requests::delay(tx, tenant_id_, task.lease.user_id, task.source, *not_before);
    }

    void handle_failure(Task const& task, ProviderApiError const& error)
    {
        deps_.logger.warn(task.source == Source::payments ? "a request to the payments provider failed"
                                                          : "a request to the purchase provider failed",
            {{"tenant", core::to_string(tenant_id_)}, {"why", error.what()}});
        core::Time const here = deps_.clock.now();
        auto const times = retry_times(error, claim_.attempts, here, crypto::random_u64());
        transact([&](pg::Tx& tx) {
            auto const ahead = jobs::now(tx) - here;
            auto const until = times.user_not_before;
            end(tx, task, until ? std::optional(*until + ahead) : std::nullopt);
            if (times.tenant_not_before)
                syncs::pause(tx, tenant_id_, task.source, *times.tenant_not_before + ahead);
        });
        if (!times.tenant_not_before) return;
        std::erase(sources_, task.source);
        retry_at_ = std::min(retry_at_.value_or(*times.tenant_not_before), *times.tenant_not_before);
    }

    Deps const& deps_;
    jobs::Claim const& claim_;
    std::stop_token const& stop_;
    core::TenantId const tenant_id_;
    core::Secret purchases_key_, payments_key_;
    std::vector<Source> sources_;        ///< the providers that may be asked
    std::optional<core::Time> retry_at_; ///< when a provider that has failed may be asked again
};

} // namespace

RetryTimes retry_times(
    ProviderApiError const& error, unsigned attempts, core::Time now, std::uint64_t entropy) noexcept
{
    if (auto const wait = error.retry_after()) return {std::nullopt, now + *wait};
    auto const pause = core::backoff(attempts == 0 ? 0 : attempts - 1, 30s, 10min, entropy);
    switch (error.kind()) {
    case Kind::throttled:
        return {std::nullopt, now + pause};
    case Kind::refused:
        return {std::nullopt, now + refusal_delay};
    case Kind::unknown_user:
        return {now + unknown_user_delay, std::nullopt};
    default:
        return {now + failure_delay, now + pause};
    }
}

jobs::WorkerOptions worker_options()
{
    return {.queue = queue, .threads = 4, .max_per_tenant = 1};
}

jobs::Handler handler(Deps deps)
{
    return [deps](jobs::Claim const& claim, std::stop_token const& stop) { return Run(deps, claim, stop)(); };
}

jobs::PeriodicOptions periodic_options()
{
    return {.name = queue, .interval = 15s, .poll = 2s};
}

jobs::Periodic::Step step(pg::Database& db)
{
    return [&db, after = core::no_scope](std::stop_token const& stop) mutable {
        auto const scopes = db.transact_blocking(pg::Scopes(),
            [&](pg::Tx& tx) { return tenancy::tenant_rows::scopes_after(tx, after, scopes_per_step); });
        after = scopes.empty() ? core::no_scope : scopes.back();
        if (scopes.empty()) return false;
        db.transact_blocking(pg::Scopes(scopes), [&](pg::Tx& tx) {
            for (auto const tenant : syncs::tenants_with_work(tx, scopes, jobs::now(tx)))
                jobs::enqueue(tx, queue, core::scope_of(tenant, core::Environment::production), core::Uuid());
        });
        return !stop.stop_requested();
    };
}

} // namespace billing::reconciler
