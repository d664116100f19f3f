#include "workers/backfill.hpp"

#include "core/backoff.hpp"
#include "core/json.hpp"
#include "crypto/random.hpp"
#include "domain/payment_fields.hpp"
#include "domain/settings.hpp"
#include "domain/sync.hpp"
#include "ingest/fetched_subscriptions.hpp"
#include "jobs/failure.hpp"
#include "jobs/queue.hpp"
#include "pg/database.hpp"
#include "storage/backfills.hpp"
#include "storage/event_archive.hpp"
#include "tenancy/settings.hpp"
#include "tenancy/tenant_rows.hpp"

#include <boost/json/value.hpp>

#include <algorithm>
#include <array>
#include <exception>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace billing::backfill {

namespace {

using namespace std::chrono_literals;
namespace json = boost::json;
using jobs::Outcome;
using Kind = ProviderApiError::Kind;
using Steady = std::chrono::steady_clock;

constexpr std::chrono::milliseconds shortest_pause = 5s;
constexpr std::chrono::milliseconds longest_pause = 10min;
/// 100,000 subscriptions wait for at most 250 s in total.
constexpr std::chrono::milliseconds longest_rest = 25ms;

/// Another worker has applied the same subscriptions, because the lease of this one was lost.
struct Superseded {};

/// The subscriptions of one transaction, in the order of the provider's list.
struct Chunk {
    std::array<std::vector<json::value>, 2> objects{}; ///< of production and of the sandbox
    std::size_t size = 0;
    std::string last_id{};
};

std::vector<Chunk> chunks_of(std::vector<json::value> subscriptions)
{
    std::vector<Chunk> chunks;
    for (auto& subscription : subscriptions) {
        if (chunks.empty() || chunks.back().size == subscriptions_per_transaction) chunks.emplace_back();
        auto& chunk = chunks.back();
        ++chunk.size;
        chunk.last_id = core::text_of(subscription.get_object(), "id");
        auto const environment =
            payment_fields::environment_of(payment_fields::find(&subscription, "livemode"));
        // A subscription without an environment is malformed. It is counted once, in production.
        auto const index = static_cast<std::size_t>(environment.value_or(core::Environment::production));
        chunk.objects.at(index).push_back(std::move(subscription));
    }
    return chunks;
}

void add(backfills::Counts& to, ingest::FetchedCounts const& counts)
{
    to.processed += static_cast<std::int64_t>(counts.processed);
    to.changed += static_cast<std::int64_t>(counts.changed);
    to.failed += static_cast<std::int64_t>(counts.failed);
}

/// One run of a backfill's job.
class Run {
public:
    Run(Deps const& deps, jobs::Claim& claim, std::stop_token const& stop)
        : deps_(deps), claim_(claim), stop_(stop), tenant_id_(core::tenant_of(claim.scope_id))
    {
    }

    Outcome operator()()
    {
        if (!begin()) return Outcome::done(); // the tenant was erased, or the backfill has ended
        try {
            return walk();
        } catch (ProviderApiError const& e) {
            return handle_failure(e);
        } catch (Superseded const&) {
            return next_run(); // has no effect, because the lease was lost
        } catch (...) {
            if (jobs::is_outage(std::current_exception())) throw;
            log(jobs::describe(std::current_exception()));
            return wait("An internal error occurred while subscriptions were fetched or stored.");
        }
    }

private:
    template <class Work> auto transact(Work work)
    {
        return deps_.db.transact_blocking(pg::Scopes::of_tenant(tenant_id_), std::move(work));
    }

    bool begin()
    {
        auto started = transact([&](pg::Tx& tx) { return backfills::begin(tx, tenant_id_, claim_.ref); });
        if (!started) return false;
        backfill_ = std::move(started->backfill);
        without_progress_ = started->now - backfill_.progress_at;
        claim_.traceparent = backfill_.traceparent;
        return true;
    }

    Outcome walk()
    {
        auto const access = read_access();
        if (!access.obstacle.empty()) return wait(std::string(access.obstacle));
        auto const end = Steady::now() + run_time;
        while (may_continue(end))
            if (apply_page(access.api_key, end)) return complete();
        return next_run();
    }

    bool may_continue(Steady::time_point end) const { return !stop_.stop_requested() && Steady::now() < end; }

    /// The provider's API key, or why the backfill has to wait.
    struct Access {
        core::Secret api_key{};
        std::string_view obstacle{};
    };

    Access read_access()
    {
        return transact([&](pg::Tx& tx) {
            if (tenancy::tenant_rows::is_suspended(tx, tenant_id_))
                return Access{.obstacle = "The tenant is suspended."};
            auto const document =
                tenancy::settings::read(tx, scope_of(core::Environment::production)).document;
            auto key = settings::payments_api_key(document, tenant_id_, deps_.keyring);
            if (key.empty())
                return Access{.obstacle = "The payments provider's API key is not configured. Set "
                                          "`paymentsApiKey` in the settings."};
            return Access{.api_key = std::move(key)};
        });
    }

    core::Scope scope_of(core::Environment environment) const
    {
        return core::Scope::of(tenant_id_, environment, {});
    }

    /// Returns true after the last page. Stops after the time `end`.
    bool apply_page(core::Secret const& api_key, Steady::time_point end)
    {
        ingest::FetchTimes times{.watermark = deps_.clock.now(), .sent_at = database_now()};
        auto page = deps_.api.list(
            query(), {.api_key = api_key, .stop = stop_, .traceparent = backfill_.traceparent});
        times.watermark = watermark_of(page.platform_time, times.watermark);
        for (auto const& chunk : chunks_of(std::move(page.subscriptions))) {
            if (!may_continue(end)) return false;
            auto const began = Steady::now();
            apply(chunk, times);
            std::this_thread::sleep_for(rest_after(Steady::now() - began));
        }
        return !page.has_more;
    }

    /// The pause after a transaction. The tenant's events wait for the transaction, so they get most of the
    /// time, but a busy database does not stop the backfill.
    static Steady::duration rest_after(Steady::duration transaction)
    {
        return std::min<Steady::duration>(4 * transaction, longest_rest);
    }

    core::Time database_now()
    {
        return deps_.db.transact_blocking(pg::Scopes(), [](pg::Tx& tx) { return event_archive::now(tx); });
    }

    PaymentsApi::ListQuery query() const
    {
        PaymentsApi::ListQuery query{.starting_after = backfill_.last_id};
        // The provider's times are in seconds since 1970.
        if (backfill_.since) query.since = std::max(*backfill_.since, core::Time());
        return query;
    }

    void apply(Chunk const& chunk, ingest::FetchTimes const& times)
    {
        transact([&](pg::Tx& tx) {
            backfills::Step step{.from = backfill_.last_id, .to = chunk.last_id, .counts = {}};
            for (auto const environment : {core::Environment::production, core::Environment::sandbox}) {
                auto const& objects = chunk.objects.at(static_cast<std::size_t>(environment));
                if (objects.empty()) continue; // the events of this environment need not wait
                add(step.counts, ingest::apply_many_fetched(
                                     tx, scope_of(environment), objects, times, backfill_.traceparent));
            }
            if (!backfills::advance(tx, tenant_id_, claim_.ref, step)) throw Superseded();
        });
        backfill_.last_id = chunk.last_id;
        without_progress_ = {};
    }

    Outcome complete() const
    {
        return Outcome::done([tenant_id = tenant_id_, id = claim_.ref](
                                 pg::Tx& tx) { backfills::complete(tx, tenant_id, id); });
    }

    Outcome next_run() const { return Outcome::not_yet(deps_.clock.now()); }

    Outcome handle_failure(ProviderApiError const& error)
    {
        if (error.kind() == Kind::stopped) return next_run();
        log(error.what());
        if (error.kind() == Kind::unknown_user && !backfill_.last_id.empty()) return start_again();
        bool const refused = error.kind() == Kind::refused || error.kind() == Kind::unknown_user;
        if (refused)
            return fail("The payments provider refused the request: " + std::string(error.what()) +
                        ". Check `paymentsApiKey` in the settings, then create another backfill.");
        return wait("The request to the payments provider failed: " + std::string(error.what()) + '.',
            error.retry_after());
    }

    /// The provider does not know the subscription after which the list continues any more. The pause limits
    /// how often this may happen.
    Outcome start_again() const
    {
        auto restart = [tenant_id = tenant_id_, id = claim_.ref, from = backfill_.last_id](
                           pg::Tx& tx) { backfills::restart(tx, tenant_id, id, from); };
        return Outcome::not_yet(deps_.clock.now() + longest_pause, std::move(restart));
    }

    /// The pause depends on the time without progress, so the runs need not be counted.
    Outcome wait(std::string error, std::optional<std::chrono::seconds> retry_after = std::nullopt)
    {
        if (without_progress_ >= give_up_after) return fail(std::move(error));
        auto const pause = pause_after(without_progress_, retry_after, crypto::random_u64());
        auto record = [tenant_id = tenant_id_, id = claim_.ref, error = std::move(error)](
                          pg::Tx& tx) { backfills::set_error(tx, tenant_id, id, error); };
        return Outcome::not_yet(deps_.clock.now() + pause, std::move(record));
    }

    Outcome fail(std::string error) const
    {
        return Outcome::dead([tenant_id = tenant_id_, id = claim_.ref, error = std::move(error)](
                                 pg::Tx& tx) { backfills::fail(tx, tenant_id, id, error); });
    }

    void log(std::string_view why) const
    {
        auto const tenant = core::to_string(tenant_id_), id = claim_.ref.to_string();
        deps_.logger.warn(
            "a run of a backfill failed", {{"tenant", tenant}, {"backfillId", id}, {"why", why}});
    }

    Deps const& deps_;
    jobs::Claim& claim_;
    std::stop_token const& stop_;
    core::TenantId const tenant_id_;
    backfills::Backfill backfill_;
    core::Time::duration without_progress_{}; ///< by the database's clock
};

} // namespace

std::chrono::milliseconds pause_after(core::Time::duration without_progress,
    std::optional<std::chrono::seconds> retry_after, std::uint64_t entropy) noexcept
{
    using std::chrono::milliseconds;
    auto const ceiling =
        std::clamp(std::chrono::duration_cast<milliseconds>(without_progress), shortest_pause, longest_pause);
    // Without this limit, a wrong `Retry-After` could prevent the run that ends the backfill.
    auto const stated = std::min<std::chrono::seconds>(retry_after.value_or(0s), give_up_after);
    return std::max<milliseconds>(core::backoff(0, ceiling, ceiling, entropy), stated);
}

jobs::WorkerOptions worker_options()
{
    return {.queue = backfills::queue,
        .threads = 4,
        .max_per_tenant = 1,
        .on_dead = [](pg::Tx& tx, jobs::Claim const& claim) {
            backfills::fail(tx, core::tenant_of(claim.scope_id), claim.ref,
                "The progress could not be stored because of an internal error.");
        }};
}

jobs::Handler handler(Deps deps)
{
    return [deps](jobs::Claim& claim, std::stop_token const& stop) { return Run(deps, claim, stop)(); };
}

} // namespace billing::backfill
