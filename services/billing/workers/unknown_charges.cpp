#include "workers/unknown_charges.hpp"

#include "core/backoff.hpp"
#include "crypto/random.hpp"
#include "domain/settings.hpp"
#include "ingest/unknown_charges.hpp"
#include "pg/database.hpp"
#include "storage/event_archive.hpp"
#include "tenancy/settings.hpp"
#include "tenancy/tenant_rows.hpp"

#include <chrono>
#include <optional>
#include <string>

namespace billing::unknown_charges {

namespace {

using namespace std::chrono_literals;
using jobs::Outcome;

/// While the tenant is suspended or has no key.
constexpr auto pause = 1h;
constexpr auto give_up_after = 72h;

/// What a job needs to know.
struct Task {
    core::Secret api_key; ///< empty: the provider may not be asked now
    std::string payment_intent_id;
    core::Time received_at; ///< when the event arrived
    AccessSettings settings;
};

class Run {
    template <class Work> auto transact(Work work)
    {
        return deps_.db.transact_blocking(
            pg::Scopes::of_tenant(core::tenant_of(claim_.scope_id)), std::move(work));
    }

public:
    Run(Deps const& deps, jobs::Claim const& claim, std::stop_token const& stop)
        : deps_(deps), claim_(claim), stop_(stop)
    {
    }

    Outcome operator()()
    {
        auto const task = transact([&](pg::Tx& tx) { return read_task(tx); });
        if (!task) return Outcome::done();
        if (task->api_key.empty()) return wait(*task);
        try {
            auto const invoice_id =
                deps_.api.invoice_of(task->payment_intent_id, {.api_key = task->api_key, .stop = stop_});
            if (invoice_id) connect(*task, *invoice_id);
            return Outcome::done();
        } catch (ProviderApiError const& e) {
            return after_failure(e);
        }
    }

private:
    /// nullopt: there is nothing to ask any more.
    std::optional<Task> read_task(pg::Tx& tx)
    {
        auto const tenant_id = core::tenant_of(claim_.scope_id);
        auto const archived = event_archive::find_claimed(tx, claim_.scope_id, claim_.ref);
        if (!archived || archived->erased_at || archived->reason != unknown_charge) return std::nullopt;
        auto const event = event_archive::event_of(*archived);
        auto const home = core::Scope::of(tenant_id, core::Environment::production, {});
        auto const document = tenancy::settings::read(tx, home).document;
        Task task{.api_key = {},
            .payment_intent_id = event ? ingest::payment_intent_of(*event) : std::string(),
            .received_at = archived->received_at,
            .settings = settings::access_settings(document)};
        if (task.payment_intent_id.empty()) return std::nullopt;
        if (!tenancy::tenant_rows::is_suspended(tx, tenant_id))
            task.api_key = settings::payments_api_key(document, tenant_id, deps_.keyring);
        return task;
    }

    Outcome wait(Task const& task) const
    {
        auto const now = deps_.clock.now();
        return now - task.received_at >= give_up_after ? Outcome::dead() : Outcome::not_yet(now + pause);
    }

    void connect(Task const& task, std::string const& invoice_id)
    {
        ingest::ReplayContext const context{.scope_id = claim_.scope_id,
            .settings = task.settings,
            .now = deps_.clock.now(),
            .traceparent = {}};
        transact(
            [&](pg::Tx& tx) { ingest::connect_payment(tx, context, task.payment_intent_id, invoice_id); });
    }

    Outcome after_failure(ProviderApiError const& e)
    {
        auto const now = deps_.clock.now();
        if (e.kind() == ProviderApiError::Kind::stopped) return Outcome::not_yet(now);
        deps_.logger.warn("a request to the payments provider failed",
            {{"tenant", core::to_string(core::tenant_of(claim_.scope_id))}, {"why", e.what()}});
        if (claim_.attempts >= max_attempts) return Outcome::dead();
        auto const delay =
            core::backoff(claim_.attempts == 0 ? 0 : claim_.attempts - 1, 30s, 1h, crypto::random_u64());
        return Outcome::retry(now + e.retry_after().value_or(std::chrono::seconds(0)) + delay);
    }

    Deps const& deps_;
    jobs::Claim const& claim_;
    std::stop_token const& stop_;
};

} // namespace

jobs::WorkerOptions worker_options()
{
    return {.queue = ingest::unknown_charges_queue, .threads = 2, .max_per_tenant = 1};
}

jobs::Handler handler(Deps deps)
{
    return [deps](jobs::Claim const& claim, std::stop_token const& stop) { return Run(deps, claim, stop)(); };
}

} // namespace billing::unknown_charges
