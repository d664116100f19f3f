#include "workers/deferred_events.hpp"

#include "ingest/ingest_event.hpp"
#include "jobs/queue.hpp"
#include "pg/database.hpp"
#include "storage/event_archive.hpp"
#include "storage/settings.hpp"
#include "tenancy/tenant_rows.hpp"

#include <cstddef>

namespace billing::deferred_events {

namespace {

using namespace std::chrono_literals;
using jobs::Outcome;

constexpr std::size_t scopes_per_step = 500;

/// Applies the oldest deferred event of the scope. Returns false if there is none, or if the tenant is
/// suspended.
bool apply_next(pg::Tx& tx, core::ScopeId scope_id, core::Time now)
{
    auto const tenant_id = core::tenant_of(scope_id);
    if (tenancy::tenant_rows::is_suspended(tx, tenant_id)) return false;
    pg::lock_scope(tx, scope_id); // before the event is read: see ingest::apply_deferred
    auto const event = event_archive::next_deferred(tx, scope_id);
    if (!event) return false;
    auto const scope = core::Scope::of(tenant_id, core::environment_of(scope_id), {});
    ingest::ReplayContext const context{.scope_id = scope_id,
        .settings = settings::read_access_settings(tx, scope),
        .now = now,
        .traceparent = {}};
    ingest::apply_deferred(tx, context, *event);
    return true;
}

Outcome run(Deps const& deps, core::ScopeId scope_id, std::stop_token const& stop)
{
    auto const work = [&](pg::Tx& tx) { return apply_next(tx, scope_id, deps.clock.now()); };
    for (unsigned i = 0; i < events_per_run && !stop.stop_requested(); ++i)
        if (!deps.db.transact_blocking(pg::Scopes::of_tenant(core::tenant_of(scope_id)), work))
            return Outcome::done();
    return Outcome::not_yet(deps.clock.now());
}

} // namespace

jobs::WorkerOptions worker_options()
{
    return {.queue = queue, .threads = 2, .max_per_tenant = 1};
}

jobs::Handler handler(Deps deps)
{
    return [deps](jobs::Claim const& claim, std::stop_token const& stop) {
        return run(deps, claim.scope_id, stop);
    };
}

jobs::PeriodicOptions periodic_options()
{
    return {.name = queue, .interval = 5s, .poll = 2s};
}

jobs::Periodic::Step step(Deps deps)
{
    return [deps, after = core::no_scope](std::stop_token const& stop) mutable {
        auto const scopes = deps.db.transact_blocking(pg::Scopes(),
            [&](pg::Tx& tx) { return tenancy::tenant_rows::scopes_after(tx, after, scopes_per_step); });
        after = scopes.empty() ? core::no_scope : scopes.back();
        if (scopes.empty()) return false;
        deps.db.transact_blocking(pg::Scopes(scopes), [&](pg::Tx& tx) {
            for (auto const scope_id : event_archive::scopes_with_deferred(tx, scopes))
                if (!tenancy::tenant_rows::is_suspended(tx, core::tenant_of(scope_id)))
                    jobs::enqueue(tx, queue, scope_id, core::Uuid());
        });
        return !stop.stop_requested();
    };
}

} // namespace billing::deferred_events
