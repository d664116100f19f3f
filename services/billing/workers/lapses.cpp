#include "workers/lapses.hpp"

#include "ingest/publish.hpp"
#include "jobs/queue.hpp"
#include "pg/database.hpp"
#include "storage/lapses.hpp"
#include "storage/settings.hpp"
#include "tenancy/tenant_rows.hpp"

#include <chrono>
#include <cstddef>
#include <utility>
#include <vector>

namespace billing::lapse_worker {

namespace {

using namespace std::chrono_literals;
using jobs::Outcome;

constexpr std::size_t scopes_per_step = 500;

/// Runs `work` under the lock of the job's scope, in a transaction that sees the tenant's settings and
/// catalog.
template <class Work> auto transact(Deps const& deps, core::ScopeId scope_id, Work work)
{
    return deps.db.transact_blocking(pg::Scopes::of_tenant(core::tenant_of(scope_id)), [&](pg::Tx& tx) {
        pg::lock_scope(tx, scope_id);
        return work(tx, settings::read_access_settings(tx, {.id = scope_id, .slug = {}}));
    });
}

/// Returns the number of closed entitlements.
std::size_t close(Deps const& deps, core::ScopeId scope_id)
{
    auto const now = deps.clock.now();
    return transact(deps, scope_id, [&](pg::Tx& tx, AccessSettings const& settings) {
        std::vector<EntitlementChange> changes;
        for (auto const& entitlement : lapses::close(tx, scope_id, settings, now))
            changes.push_back({.from = entitlement, .to = entitlement});
        ingest::publish_changes(tx, scope_id, settings, {}, changes, now, ingest::lapsed);
        return changes.size();
    });
}

/// Examines a part of the entitlements after `after`, and enqueues the job for the next part.
void reopen(Deps const& deps, core::ScopeId scope_id, core::Uuid const& after)
{
    auto const now = deps.clock.now();
    transact(deps, scope_id, [&](pg::Tx& tx, AccessSettings const& settings) {
        if (auto const last = lapses::reopen(tx, scope_id, settings, now, after))
            jobs::enqueue(tx, lapses::reopening_queue, scope_id, *last);
    });
}

/// `scopes`, and the tenants' other scopes.
pg::Scopes with_settings(std::vector<core::ScopeId> const& scopes)
{
    std::vector<core::ScopeId> all;
    for (auto const scope_id : scopes)
        for (auto const each : core::scopes_of(core::tenant_of(scope_id)))
            all.push_back(each);
    return pg::Scopes::distinct(std::move(all));
}

} // namespace

jobs::WorkerOptions worker_options()
{
    return {.queue = lapses::queue, .threads = 2, .max_per_tenant = 1};
}

jobs::Handler handler(Deps deps)
{
    return [deps](jobs::Claim const& claim, std::stop_token const&) {
        bool const is_done = close(deps, claim.scope_id) < lapses::max_closed;
        return is_done ? Outcome::done() : Outcome::not_yet(deps.clock.now());
    };
}

jobs::WorkerOptions reopening_options()
{
    return {.queue = lapses::reopening_queue, .threads = 1};
}

jobs::Handler reopening_handler(Deps deps)
{
    return [deps](jobs::Claim const& claim, std::stop_token const&) {
        reopen(deps, claim.scope_id, claim.ref);
        return Outcome::done();
    };
}

jobs::PeriodicOptions periodic_options()
{
    return {.name = lapses::queue, .interval = 15s, .poll = 2s};
}

jobs::Periodic::Step step(Deps deps)
{
    return [deps, after = core::no_scope](std::stop_token const& stop) mutable {
        auto const scopes = deps.db.transact_blocking(pg::Scopes(),
            [&](pg::Tx& tx) { return tenancy::tenant_rows::scopes_after(tx, after, scopes_per_step); });
        after = scopes.empty() ? core::no_scope : scopes.back();
        if (scopes.empty()) return false;
        deps.db.transact_blocking(with_settings(scopes), [&](pg::Tx& tx) {
            for (auto const scope_id : lapses::scopes_due(tx, scopes, deps.clock.now()))
                jobs::enqueue(tx, lapses::queue, scope_id, core::Uuid());
        });
        return !stop.stop_requested();
    };
}

} // namespace billing::lapse_worker
