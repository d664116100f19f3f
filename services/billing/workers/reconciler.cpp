#include "workers/reconciler.hpp"

#include "audit/audit.hpp"
#include "core/backoff.hpp"
#include "crypto/random.hpp"
#include "jobs/failure.hpp"
#include "jobs/queue.hpp"
#include "storage/settings.hpp"
#include "storage/syncs.hpp"
#include "tenancy/registry.hpp"
#include "tenancy/settings.hpp"

#include <algorithm>
#include <exception>

namespace billing::reconciler {

namespace {

using namespace std::chrono_literals;
using jobs::Outcome;
using Kind = PurchasesApiError::Kind;

constexpr auto lease_time = 30s;    // longer than PurchasesApi::timeout and the transaction together
constexpr auto after_refusal = 1h;  // the tenant has to change the key
constexpr auto after_unknown = 24h; // the user may become known, or the entitlement may end
constexpr auto after_trouble = 1h; // for the user whose sync failed, because the user's data may be the cause
constexpr auto again_at_soonest = 1h; // for a user who is still overdue after a sync
constexpr std::size_t scopes_a_step = 500;

/// One user's sync, from taking the lease to writing the result.
class Run {
public:
    Run(Deps const& deps, jobs::Claim const& claim, std::stop_token const& stop)
        : deps_(deps), claim_(claim), stop_(stop), tenant_id_(core::Scope{claim.scope_id, {}}.tenant_id())
    {
    }

    Outcome operator()()
    {
        auto const key = api_key();
        if (key.empty()) return Outcome::done();
        for (unsigned i = 0; i < users_a_run && !stop_.stop_requested(); ++i) {
            auto const lease = next();
            if (!lease) return Outcome::done();
            if (auto const pause = sync(*lease, key)) return *pause;
        }
        return Outcome::not_yet(deps_.clock.now() + between_runs);
    }

private:
    template <class Work> auto transact(Work work)
    {
        return deps_.db.transact_blocking(settings::both_of(tenant_id_), std::move(work));
    }

    /// The platform's API key. Empty if the tenant is suspended or has removed the key.
    core::Secret api_key()
    {
        return transact([&](pg::Tx& tx) {
            if (tenancy::registry::is_suspended(tx, tenant_id_)) return core::Secret();
            auto const document = tenancy::settings::read(tx, core::Scope{tenant_id_ * 2, {}}).document;
            return settings::purchases_api_key(document, tenant_id_, deps_.keyring);
        });
    }

    std::optional<syncs::Lease> next()
    {
        return transact([&](pg::Tx& tx) {
            auto const now = jobs::now(tx); // the database's clock, because the clocks of replicas differ
            return syncs::take_overdue(tx, tenant_id_, now - patience, now, now + lease_time);
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
            return set_back(lease, e);
        } catch (...) {
            // A failure for one user must not block the tenant's other users.
            if (!jobs::is_outage(std::current_exception())) put_aside(lease);
            throw;
        }
    }

    void apply(syncs::Lease const& lease, Subscriber const& subscriber, core::Time asked_at)
    {
        auto const now = deps_.clock.now();
        transact([&](pg::Tx& tx) {
            auto const applied = syncs::apply(tx, tenant_id_, lease.user_id, subscriber, asked_at, {}, now);
            // A user may still be overdue after a sync, because this server's clock and the platform's clock
            // differ. Such a user must not be synced in a loop.
            auto const shared_now = jobs::now(tx);
            if (syncs::is_overdue(tx, tenant_id_, lease.user_id, shared_now - patience))
                syncs::give_back(tx, lease, shared_now + again_at_soonest);
            else
                syncs::finish(tx, lease);
            for (auto const& in : applied) {
                if (auto const entry = in.entry(lease.user_id))
                    audit::record(tx, in.scope,
                        {.id = "system:reconciler", .role = "system", .request_id = {}}, *entry);
            }
        });
    }

    void put_aside(syncs::Lease const& lease)
    {
        transact([&](pg::Tx& tx) { syncs::give_back(tx, lease, jobs::now(tx) + after_trouble); });
    }

    Outcome stopped(syncs::Lease const& lease)
    {
        transact([&](pg::Tx& tx) { syncs::give_back(tx, lease); });
        return Outcome::not_yet(deps_.clock.now());
    }

    std::optional<Outcome> set_back(syncs::Lease const& lease, PurchasesApiError const& error)
    {
        deps_.logger.warn("a request to the purchase platform failed",
            {{"tenant", std::to_string(tenant_id_)}, {"why", error.what()}});
        core::Time const here = deps_.clock.now();
        auto const setback = after(error, claim_.attempts, here, crypto::random_u64());
        transact([&](pg::Tx& tx) {
            auto const ahead = jobs::now(tx) - here;
            auto const until = setback.user_not_before;
            syncs::give_back(tx, lease, until ? std::optional(*until + ahead) : std::nullopt);
            if (setback.tenant_not_before) syncs::pause(tx, tenant_id_, *setback.tenant_not_before + ahead);
        });
        if (!setback.tenant_not_before) return std::nullopt;
        return Outcome::retry(*setback.tenant_not_before);
    }

    Deps const& deps_;
    jobs::Claim const& claim_;
    std::stop_token const& stop_;
    std::int64_t const tenant_id_;
};

} // namespace

Setback after(
    PurchasesApiError const& error, unsigned attempts, core::Time now, std::uint64_t entropy) noexcept
{
    if (auto const wait = error.retry_after()) return {std::nullopt, now + *wait};
    auto const pause = core::backoff(attempts == 0 ? 0 : attempts - 1, 30s, 10min, entropy);
    switch (error.kind()) {
    case Kind::throttled:
        return {std::nullopt, now + pause};
    case Kind::refused:
        return {std::nullopt, now + after_refusal};
    case Kind::unknown_user:
        return {now + after_unknown, std::nullopt};
    default:
        return {now + after_trouble, now + pause};
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
    return [&db, after = std::int64_t{0}](std::stop_token const& stop) mutable {
        auto const scopes = db.transact_blocking(pg::Scopes(),
            [&](pg::Tx& tx) { return tenancy::registry::scopes_after(tx, after, scopes_a_step); });
        after = scopes.empty() ? 0 : scopes.back();
        if (scopes.empty()) return false;
        db.transact_blocking(pg::Scopes(scopes), [&](pg::Tx& tx) {
            auto const now = jobs::now(tx);
            for (auto const tenant : syncs::tenants_overdue(tx, scopes, now - patience, now))
                jobs::enqueue(tx, queue, tenant * 2, core::Uuid());
        });
        return !stop.stop_requested();
    };
}

} // namespace billing::reconciler
