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
#include "tenancy/settings.hpp"
#include "tenancy/tenant_rows.hpp"

#include <algorithm>
#include <exception>

namespace billing::reconciler {

namespace {

using namespace std::chrono_literals;
using jobs::Outcome;
using Kind = PurchasesApiError::Kind;

constexpr auto refusal_delay = 1h;       // the tenant has to change the key
constexpr auto unknown_user_delay = 24h; // the user may become known, or the entitlement may end
constexpr auto failure_delay = 1h; // for the user whose sync failed, because the user's data may be the cause
constexpr auto min_time_between_syncs = 1h; // for a user who is still overdue after a sync
constexpr std::size_t scopes_per_step = 500;

/// One run of a tenant's job: syncs overdue users of the tenant one after the other.
class Run {
public:
    Run(Deps const& deps, jobs::Claim const& claim, std::stop_token const& stop)
        : deps_(deps), claim_(claim), stop_(stop), tenant_id_(core::tenant_of(claim.scope_id))
    {
    }

    Outcome operator()()
    {
        auto const key = api_key();
        if (key.empty()) return Outcome::done();
        for (unsigned i = 0; i < users_per_run && !stop_.stop_requested(); ++i) {
            auto const lease = next();
            if (!lease) return Outcome::done();
            if (auto const pause = sync(*lease, key)) return *pause;
        }
        return Outcome::not_yet(deps_.clock.now() + between_runs);
    }

private:
    template <class Work> auto transact(Work work)
    {
        return deps_.db.transact_blocking(pg::Scopes::of_tenant(tenant_id_), std::move(work));
    }

    /// The provider's API key. Empty if the tenant is suspended or has removed the key.
    core::Secret api_key()
    {
        return transact([&](pg::Tx& tx) {
            if (tenancy::tenant_rows::is_suspended(tx, tenant_id_)) return core::Secret();
            auto const document =
                tenancy::settings::read(tx, core::Scope::of(tenant_id_, core::Environment::production, {}))
                    .document;
            return settings::purchases_api_key(document, tenant_id_, deps_.keyring);
        });
    }

    std::optional<syncs::Lease> next()
    {
        return transact([&](pg::Tx& tx) {
            auto const now = jobs::now(tx); // the database's clock, because the clocks of replicas differ
            return syncs::acquire_overdue(tx, tenant_id_, now - overdue_after, now, now + syncs::lease_time);
        });
    }

    /// nullopt: continue with the next user.
    std::optional<Outcome> sync(syncs::Lease const& lease, core::Secret const& key)
    {
        try {
            auto const asked_at = deps_.clock.now();
            apply(lease, deps_.api.fetch(lease.user_id, key, stop_), asked_at);
            return std::nullopt;
        } catch (PurchasesApiError const& e) {
            if (e.kind() == Kind::stopped) return stopped(lease);
            return handle_failure(lease, e);
        } catch (...) {
            // A failure for one user must not block the tenant's other users.
            if (!jobs::is_outage(std::current_exception())) delay_user(lease);
            throw;
        }
    }

    void apply(syncs::Lease const& lease, Subscriber const& subscriber, core::Time asked_at)
    {
        auto const now = deps_.clock.now();
        transact([&](pg::Tx& tx) {
            auto const results =
                ingest::apply_sync(tx, tenant_id_, lease.user_id, subscriber, asked_at, {}, now);
            // A user may still be overdue after a sync if this server's clock and the provider's clock
            // differ. Such a user must not be synced in a loop.
            auto const shared_now = jobs::now(tx);
            if (syncs::is_overdue(tx, tenant_id_, lease.user_id, shared_now - overdue_after))
                syncs::release(tx, lease, shared_now + min_time_between_syncs);
            else
                syncs::complete(tx, lease);
            for (auto const& result : results) {
                if (auto const entry = result.audit_entry(lease.user_id))
                    audit::record(tx, result.scope,
                        {.id = "system:reconciler", .role = "system", .request_id = {}}, *entry);
            }
        });
    }

    void delay_user(syncs::Lease const& lease)
    {
        transact([&](pg::Tx& tx) { syncs::release(tx, lease, jobs::now(tx) + failure_delay); });
    }

    Outcome stopped(syncs::Lease const& lease)
    {
        transact([&](pg::Tx& tx) { syncs::release(tx, lease); });
        return Outcome::not_yet(deps_.clock.now());
    }

    std::optional<Outcome> handle_failure(syncs::Lease const& lease, PurchasesApiError const& error)
    {
        deps_.logger.warn("a request to the purchase provider failed",
            {{"tenant", core::to_string(tenant_id_)}, {"why", error.what()}});
        core::Time const here = deps_.clock.now();
        auto const times = retry_times(error, claim_.attempts, here, crypto::random_u64());
        transact([&](pg::Tx& tx) {
            auto const ahead = jobs::now(tx) - here;
            auto const until = times.user_not_before;
            syncs::release(tx, lease, until ? std::optional(*until + ahead) : std::nullopt);
            if (times.tenant_not_before) syncs::pause(tx, tenant_id_, *times.tenant_not_before + ahead);
        });
        if (!times.tenant_not_before) return std::nullopt;
        return Outcome::retry(*times.tenant_not_before);
    }

    Deps const& deps_;
    jobs::Claim const& claim_;
    std::stop_token const& stop_;
    core::TenantId const tenant_id_;
};

} // namespace

RetryTimes retry_times(
    PurchasesApiError const& error, unsigned attempts, core::Time now, std::uint64_t entropy) noexcept
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
            auto const now = jobs::now(tx);
            for (auto const tenant : syncs::tenants_overdue(tx, scopes, now - overdue_after, now))
                jobs::enqueue(tx, queue, core::scope_of(tenant, core::Environment::production), core::Uuid());
        });
        return !stop.stop_requested();
    };
}

} // namespace billing::reconciler
