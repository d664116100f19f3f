#include "outbound_webhooks/sender.hpp"

#include "core/scope.hpp"
#include "crypto/random.hpp"
#include "http_client/url.hpp"
#include "outbound_webhooks/attempt.hpp"
#include "outbound_webhooks/outbound_webhooks.hpp"
#include "outbound_webhooks/policy.hpp"
#include "pg/database.hpp"
#include "tenancy/tenant_rows.hpp"

#include <utility>

namespace outbound_webhooks {

namespace {

/// Limit of the payloads that are loaded for one batch of claims.
constexpr std::size_t payload_bytes_at_once = 8U << 20;

/// Returns host and port as the key of the limit per host. A trailing dot of a host name is ignored.
std::string host_of(std::string const& url)
{
    auto parsed = http_client::parse_url(url);
    if (!parsed) return url;
    if (parsed->host.ends_with('.')) parsed->host.pop_back();
    return parsed->host + ':' + std::to_string(parsed->port);
}

store::Result result_of(store::Attempt const& attempt, store::Result::Kind kind, core::Time now)
{
    store::Result result;
    result.kind = kind;
    result.key = attempt.key;
    result.webhook_id = attempt.webhook_id;
    result.url = attempt.url;
    result.expires_at = attempt.expires_at;
    result.at = now;
    return result;
}

using Note = std::shared_ptr<store::Result const>;

jobs::FinishedRun finished_run_of(jobs::Claim claim, jobs::Outcome::Kind kind, store::Result result)
{
    jobs::FinishedRun run{.claim = std::move(claim), .kind = kind};
    if (kind == jobs::Outcome::Kind::retry) run.run_at = result.next_attempt_at;
    run.note = std::make_shared<store::Result const>(std::move(result));
    return run;
}

/// Decides what follows from an attempt.
jobs::FinishedRun judge(jobs::Claim claim, store::Attempt const& attempt, AttemptResult sent, core::Time now)
{
    using Kind = store::Result::Kind;
    auto const decision = decide(sent.answer, claim.attempts, now, attempt.expires_at, crypto::random_u64());
    auto result = result_of(attempt, Kind::delivered, now);
    result.report = std::move(sent.report);
    result.next_attempt_at = decision.next_attempt_at;
    result.disable = decision.disable;
    result.disable_reason = std::string(decision.disable_reason);
    switch (decision.outcome) {
    case AttemptOutcome::delivered:
        return finished_run_of(std::move(claim), jobs::Outcome::Kind::done, std::move(result));
    case AttemptOutcome::retry:
        result.kind = Kind::retry;
        return finished_run_of(std::move(claim), jobs::Outcome::Kind::retry, std::move(result));
    case AttemptOutcome::failed:
        break;
    }
    result.kind = Kind::failed;
    return finished_run_of(std::move(claim), jobs::Outcome::Kind::dead, std::move(result));
}

void record(pg::Tx& tx, std::span<jobs::FinishedRun const* const> runs)
{
    std::vector<store::Result const*> results;
    for (auto const* run : runs)
        if (auto const* const note = std::any_cast<Note>(&run->note)) results.push_back(note->get());
    store::record(tx, results);
}

} // namespace

Sender::Sender(pg::Database& database, core::Clock const& clock, crypto::Keyring const& keyring,
    http_client::AsyncClient& client, Hooks hooks, std::chrono::milliseconds timeout)
    : database_(database), clock_(clock), keyring_(keyring), client_(client), hooks_(std::move(hooks)),
      timeout_(timeout)
{
}

jobs::AsyncHandler Sender::handler()
{
    return {.begin = [this](std::vector<jobs::Claim> claims, jobs::AsyncWorker& worker,
                         std::stop_token const& stop) { begin(std::move(claims), worker, stop); },
        .record = &record,
        .stop = [this](jobs::AsyncWorker&) { end_waiting(); }};
}

jobs::AsyncWorkerOptions Sender::options()
{
    return {.queue = queue, .capacity = max_held};
}

Sender::Load Sender::load() const
{
    std::lock_guard const lock(mutex_);
    return {.in_flight = admission_.in_flight(), .slow = admission_.slow(), .waiting = admission_.waiting()};
}

// --- on the worker's thread: load deliveries, start them or put them off --------------------------------

void Sender::begin(std::vector<jobs::Claim>&& claims, jobs::AsyncWorker& worker, std::stop_token const& stop)
{
    auto loaded = load(claims);
    Claims by_key;
    for (auto& claim : claims)
        by_key.try_emplace({claim.scope_id, claim.ref}, std::move(claim));
    for (auto& attempt : loaded.attempts) {
        auto node = by_key.extract({attempt.key.scope_id, attempt.key.delivery_id});
        bool const suspended = loaded.suspended.contains(core::tenant_of(attempt.key.scope_id));
        begin_one(std::move(node.mapped()), std::move(attempt), suspended, worker, stop);
    }
    for (auto& [key, claim] : by_key) // the delivery was deleted
        worker.finish({.claim = std::move(claim)});
}

Sender::Loaded Sender::load(std::vector<jobs::Claim> const& claims) const
{
    std::vector<store::DeliveryKey> keys;
    std::vector<core::ScopeId> scopes;
    std::set<core::TenantId> tenants;
    for (auto const& claim : claims) {
        keys.push_back({claim.scope_id, claim.ref});
        scopes.push_back(claim.scope_id);
        tenants.insert(core::tenant_of(claim.scope_id));
    }
    return database_.transact_blocking(pg::Scopes::distinct(std::move(scopes)), [&](pg::Tx& tx) {
        auto attempts = store::load_attempts(tx, keys, payload_bytes_at_once, clock_.now());
        auto const suspended = tenancy::tenant_rows::suspended_among(tx, {tenants.begin(), tenants.end()});
        return Loaded{std::move(attempts), {suspended.begin(), suspended.end()}};
    });
}

void Sender::begin_one(jobs::Claim claim, store::Attempt attempt, bool suspended, jobs::AsyncWorker& worker,
    std::stop_token const& stop)
{
    using Kind = store::Result::Kind;
    auto const now = clock_.now();
    claim.traceparent = attempt.traceparent.value_or("");
    if (!attempt.pending) {
        worker.finish({.claim = std::move(claim)});
    } else if (!attempt.webhook_exists) { // the webhook was deleted during the publication
        worker.finish(finished_run_of(
            std::move(claim), jobs::Outcome::Kind::done, result_of(attempt, Kind::removed, now)));
    } else if (!attempt.enabled) {
        auto result = result_of(attempt, Kind::failed, now);
        result.attempted = false;
        result.report.error = "the webhook is disabled";
        worker.finish(finished_run_of(std::move(claim), jobs::Outcome::Kind::dead, std::move(result)));
    } else if (suspended) {
        auto result = result_of(attempt, Kind::waits, now);
        result.next_attempt_at = now + suspended_pause;
        auto run = finished_run_of(std::move(claim), jobs::Outcome::Kind::retry, std::move(result));
        run.counted = false;
        worker.finish(std::move(run));
    } else {
        offer(std::make_shared<Delivery>(Delivery{std::move(claim), std::move(attempt), worker, stop}));
    }
}

void Sender::offer(DeliveryPtr delivery)
{
    auto const& attempt = delivery->attempt;
    Admission::Verdict verdict;
    {
        std::lock_guard const lock(mutex_);
        auto const id = next_id_++;
        verdict = attempt.payload ? admission_.offer(id,
                                        {.owner = core::Owner::of(attempt.key.scope_id),
                                            .host = host_of(attempt.url),
                                            .webhook = attempt.webhook_id,
                                            .bytes = attempt.payload_bytes},
                                        Steady::now(), crypto::random_u64())
                                  : Admission::out_of_memory(id, crypto::random_u64());
        waiting_.emplace(id, std::move(delivery));
    }
    apply({verdict});
}

// --- on either thread ------------------------------------------------------------------------------------

void Sender::apply(std::vector<Admission::Verdict> const& verdicts)
{
    for (auto const& verdict : verdicts) {
        if (verdict.action == Admission::Action::wait) continue;
        DeliveryPtr delivery;
        {
            std::lock_guard const lock(mutex_);
            delivery = std::move(waiting_.extract(verdict.id).mapped());
        }
        if (verdict.action == Admission::Action::start)
            start(verdict.id, delivery);
        else
            put_off(delivery, verdict);
    }
}

void Sender::start(Admission::Id id, DeliveryPtr const& delivery)
{
    delivery->begun = Steady::now();
    try {
        auto request = make_request(keyring_, delivery->attempt, clock_.now(), timeout_, delivery->stop);
        client_.send(std::move(request),
            [this, id, delivery](http_client::Result result) { answered(id, delivery, std::move(result)); });
    } catch (...) {
        auto const failure = std::current_exception();
        finished(id, delivery, false);
        delivery->worker.fail(delivery->claim, failure);
    }
}

void Sender::put_off(DeliveryPtr const& delivery, Admission::Verdict const& verdict)
{
    if (hooks_.put_off) hooks_.put_off(verdict.reason);
    delivery->worker.finish({.claim = delivery->claim,
        .kind = jobs::Outcome::Kind::retry,
        .run_at = clock_.now() + verdict.pause,
        .counted = false,
        .begun = false});
}

void Sender::finished(Admission::Id id, DeliveryPtr const& delivery, bool timed_out)
{
    std::vector<Admission::Verdict> verdicts;
    {
        std::lock_guard const lock(mutex_);
        auto const now = Steady::now();
        verdicts = admission_.finished(id, now - delivery->begun, timed_out, now, crypto::random_u64());
    }
    apply(verdicts);
}

/// Runs on the client's thread.
void Sender::answered(Admission::Id id, DeliveryPtr const& delivery, http_client::Result result)
{
    auto sent = read_result(std::move(result));
    finished(id, delivery, sent.timed_out);
    auto const now = clock_.now();
    jobs::FinishedRun run;
    if (sent.stopped) {
        run = {.claim = delivery->claim, .kind = jobs::Outcome::Kind::retry, .run_at = now, .counted = false};
    } else {
        if (hooks_.answered) hooks_.answered(sent.report.status);
        run = judge(delivery->claim, delivery->attempt, std::move(sent), now);
    }
    run.took = Steady::now() - delivery->begun;
    delivery->worker.finish(std::move(run));
}

void Sender::end_waiting()
{
    std::vector<DeliveryPtr> dropped;
    {
        std::lock_guard const lock(mutex_);
        for (auto const id : admission_.drop_waiting())
            dropped.push_back(std::move(waiting_.extract(id).mapped()));
    }
    for (auto const& delivery : dropped) {
        delivery->worker.finish({.claim = delivery->claim,
            .kind = jobs::Outcome::Kind::retry,
            .run_at = clock_.now(),
            .counted = false,
            .begun = false});
    }
}

} // namespace outbound_webhooks
