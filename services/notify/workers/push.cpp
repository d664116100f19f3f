#include "workers/push.hpp"

#include "crypto/random.hpp"
#include "domain/retry.hpp"
#include "pg/batch.hpp"
#include "pg/database.hpp"
#include "pg/tx_batch.hpp"
#include "storage/push_jobs.hpp"
#include "storage/web_subscriptions.hpp"
#include "workers/push_changes.hpp"

#include <map>
#include <utility>

namespace notify {

namespace {

using Kind = jobs::Outcome::Kind;
using namespace std::chrono_literals;
using Steady = std::chrono::steady_clock;

constexpr auto send_timeout = 20s; ///< pushes that are not handed out by then keep their place
/// Pushes in flight. Pushes to one carrier wait for nothing else, so this only bounds the memory.
constexpr std::size_t capacity = 8'192;
constexpr std::size_t claim_per_scope = 128;

SharedPush render(core::Scope const& scope, Notification const& n)
{
    return std::make_shared<RenderedPush const>(render_push({.id = n.id,
        .title = n.content.subject,
        .body = n.content.body,
        .data = n.content.data,
        .created_at = n.due_at(),
        .traceparent = n.traceparent ? std::string_view(*n.traceparent) : std::string_view(),
        .scope = scope,
        .settings = n.content.push}));
}

Kind kind_of(PushRun const& run) noexcept
{
    if (run.next_run()) return Kind::retry;
    bool const reached = run.accepted() || run.notification().status == Status::sent;
    return reached ? Kind::done : Kind::dead;
}

} // namespace

/// A run of a job, until its outcome is known.
struct PushHandler::Run {
    jobs::Claim claim;
    jobs::AsyncWorker& worker;
    std::shared_ptr<PushRun> run;
    Steady::time_point began = Steady::now();
};

jobs::AsyncWorkerOptions PushHandler::options() const
{
    return {.queue = std::string(push_queue_of(carrier_)),
        .capacity = capacity,
        .claim_per_scope = claim_per_scope};
}

void PushHandler::begin(
    std::vector<jobs::Claim> claims, jobs::AsyncWorker& worker, std::stop_token const& stop)
{
    auto loaded = load(claims); // before any job ends, because `begin` may throw only before that
    std::map<core::Uuid, Loaded> by_id;
    for (std::size_t i = 0; i < claims.size(); ++i)
        by_id.emplace(claims[i].ref, std::move(loaded[i]));
    auto const scopes = keep_active(claims, worker, deps_);
    for (auto& claim : claims) {
        auto const& scope = scopes.at(claim.scope_id);
        auto& own = by_id.at(claim.ref);
        start(scope, std::move(claim), std::move(own), worker, stop);
    }
}

std::vector<PushHandler::Loaded> PushHandler::load(std::vector<jobs::Claim> const& claims) const
{
    return deps_.db.transact_blocking(pg::scopes_of(std::span(claims)), [&](pg::Tx& tx) {
        pg::use_batch_plans(tx);
        auto found = push_jobs::find_unsent(tx, keys_of(claims));
        std::vector<push_deliveries::Push> pushes;
        std::vector<core::ScopeId> scopes;
        for (std::size_t i = 0; i < claims.size(); ++i) {
            if (!found[i]) continue;
            pushes.push_back({{claims[i].scope_id, claims[i].ref}, found[i]->to});
            scopes.push_back(claims[i].scope_id);
        }
        auto targets = push_deliveries::targets(tx, carrier_, pushes);
        auto const configs = carrier_configs::load(tx, carrier_, scopes);
        std::vector<Loaded> all(claims.size());
        for (std::size_t i = 0, next = 0; i < claims.size(); ++i) {
            if (!found[i]) continue;
            all[i].notification = std::move(found[i]);
            all[i].targets = std::move(targets[next++]);
            auto const config = configs.find(claims[i].scope_id);
            if (config != configs.end()) all[i].config = config->second;
        }
        return all;
    });
}

/// Starts a run, or ends it at once if there is nothing to push now.
void PushHandler::start(core::Scope const& scope, jobs::Claim claim, Loaded loaded, jobs::AsyncWorker& worker,
    std::stop_token const& stop)
{
    auto const id = claim.ref;
    if (!loaded.notification)
        return worker.finish({.claim = std::move(claim), .note = PushChange{id, nullptr}});
    claim.traceparent = loaded.notification->traceparent.value_or("");
    auto const run = std::make_shared<Run>(Run{.claim = std::move(claim),
        .worker = worker,
        .run = std::make_shared<PushRun>(*std::move(loaded.notification), carrier_, std::move(loaded.targets),
            std::move(loaded.config), deps_.clock.now())});
    if (run->run->targets().empty()) return finish(*run, {});
    std::unique_ptr<PushBatch> batch;
    try {
        batch = batch_of(scope, *run->run);
    } catch (std::exception const&) {
        log_failure(deps_.logger, run->claim, std::current_exception());
        auto result = push_result(Verdict::transient, std::string(failures::internal));
        result.handed_out = true; // so that it counts as an attempt, and attempts end
        return finish(*run, std::vector(run->run->targets().size(), result));
    }
    batch->stop = stop;
    batch->done = [this, run](std::unique_ptr<PushBatch> done) { finish(*run, done->results); };
    deps_.push.send(std::move(batch));
}

/// Throws if the credential cannot be decrypted.
std::unique_ptr<PushBatch> PushHandler::batch_of(core::Scope const& scope, PushRun const& run)
{
    auto batch = std::make_unique<PushBatch>();
    batch->credential = carrier_state_.credential_of(scope.id, *run.config());
    batch->stored_at = run.config()->updated_at;
    batch->push = render(scope, run.notification());
    batch->targets = run.targets();
    if (carrier_ == Carrier::webpush) {
        for (std::size_t i = 0; i < batch->targets.size(); ++i) {
            auto const& device = run.device_of(i);
            batch->targets[i].web = web_subscriptions::open(
                deps_.keyring, scope.id, device.delivery.token, {device.sealed_subscription, device.web_key});
        }
    }
    batch->deadline = Steady::now() + send_timeout;
    return batch;
}

/// Ends a run. `results` are in the order of its targets.
void PushHandler::finish(Run& run, std::span<PushResult const> results)
{
    auto& decisions = *run.run;
    if (!results.empty()) {
        decisions.apply(results, deps_.clock.now(), crypto::random_u64());
        count(run, results);
        if (decisions.accepted()) latency_.accepted(decisions.notification().due_at(), deps_.clock.now());
        if (decisions.paused()) carrier_state_.log_refusal(run.claim, *decisions.paused());
    }
    auto const id = run.claim.ref;
    run.worker.finish({.claim = std::move(run.claim),
        .kind = kind_of(decisions),
        .run_at = decisions.next_run().value_or(core::Time()),
        .counted = decisions.counts(),
        .took = Steady::now() - run.began,
        .note = PushChange{id, run.run}});
}

/// Counts the devices that the carrier has answered, and removes the devices that are gone.
void PushHandler::count(Run const& run, std::span<PushResult const> results)
{
    std::vector<std::int64_t> answered;
    std::vector<devices::Gone> gone;
    for (std::size_t i = 0; i < results.size(); ++i) {
        if (auto const device = run.run->gone(i, results[i]))
            gone.push_back(*device);
        else if (results[i].verdict == Verdict::accepted)
            answered.push_back(run.run->targets()[i].device_id);
    }
    carrier_state_.count_direct(run.claim.scope_id, *run.run->config(), answered, gone);
}

} // namespace notify
