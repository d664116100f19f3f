#include "workers/push.hpp"

#include "crypto/random.hpp"
#include "domain/retry.hpp"
#include "jobs/queue.hpp"
#include "pg/database.hpp"
#include "storage/notification_status.hpp"

#include <array>

namespace notify {

namespace {

using jobs::Outcome;
using namespace std::chrono_literals;

constexpr auto send_timeout = 20s; ///< time limit for sending; devices without a result are retried

SharedPush render(core::Scope const& scope, Notification const& n)
{
    return std::make_shared<RenderedPush const>(render_push({.id = n.id,
        .title = n.content.subject,
        .body = n.content.body,
        .data = n.content.data,
        .created_at = n.due_at(),
        .traceparent = n.traceparent ? std::string_view(*n.traceparent) : std::string_view(),
        .scope = scope}));
}

std::optional<Status> status_after(PushRun const& run, Notification const& locked) noexcept
{
    if (run.accepted()) return Status::sent;
    bool const hopeless = !run.next_run() && locked.status == Status::queued;
    return hopeless ? std::optional(Status::failed) : std::nullopt;
}

/// Writes the result of a run: devices, pauses, status. Runs in the transaction that ends the claim.
void record(pg::Tx& tx, core::ScopeId scope_id, PushRun const& run, Pruning const& pruning, core::Time now)
{
    auto n =
        notifications::lock_if_queued_at(tx, scope_id, run.notification().id, run.notification().queued_at);
    if (!n) return;
    if (run.counts()) ++n->attempts;
    push_deliveries::write(tx, scope_id, n->id, run.changed());
    // If a credential was replaced or a pause ended during this run, no resume job will make the push due, so
    // it is made due here.
    if (!pause(tx, scope_id, run.paused_carriers(), now))
        jobs::enqueue(tx, queue_of(Channel::push), scope_id, n->id);
    prune(tx, scope_id, pruning, now);
    auto const to = status_after(run, *n);
    auto const detail = to == Status::failed ? std::optional(run.reason()) : std::nullopt;
    write_progress(tx, scope_id, *n, to, detail, now);
}

} // namespace

jobs::Outcome PushHandler::operator()(
    core::Scope const& scope, jobs::Claim& claim, std::stop_token const& stop)
{
    core::Time const now = deps_.clock.now();
    auto loaded = load(claim);
    if (!loaded.notification) { // removed, acknowledged, opened or cancelled; a removed one has no rows
        return Outcome::done([=, scope_id = claim.scope_id, id = claim.ref](pg::Tx& tx) {
            push_deliveries::fail_pending(tx, scope_id, id, failures::overtaken, now);
        });
    }
    auto const run = std::make_shared<PushRun>(
        *std::move(loaded.notification), std::move(loaded.targets), std::move(loaded.configs), now);
    if (run->targets().empty()) return end(scope.id, run, {});
    auto const results = deps_.push.send_all(credentials_for(scope.id, *run),
        render(scope, run->notification()), run->targets(), send_timeout, stop);
    run->apply(results, deps_.clock.now(), crypto::random_u64());
    carrier_state_.log_refusals(claim, run->paused_carriers());
    return end(scope.id, run, pruning_of(claim, *run, results));
}

PushHandler::Loaded PushHandler::load(jobs::Claim& claim) const
{
    return deps_.db.transact_blocking(pg::Scopes(claim.scope_id), [&](pg::Tx& tx) {
        Loaded loaded{.notification = find_unsent(tx, claim)};
        if (!loaded.notification) return loaded;
        loaded.targets =
            push_deliveries::targets(tx, claim.scope_id, claim.ref, core::UserId(loaded.notification->to));
        loaded.configs = carrier_configs::load(tx, claim.scope_id);
        return loaded;
    });
}

PushCredentials PushHandler::credentials_for(core::ScopeId scope_id, PushRun const& run)
{
    PushCredentials credentials;
    for (auto const& target : run.targets()) {
        auto& credential = target.carrier == Carrier::fcm ? credentials.fcm : credentials.apns;
        if (!credential) credential = carrier_state_.credential_of(scope_id, *run.config_of(target.carrier));
    }
    return credentials;
}

/// Counts the results, and returns the pruning that follows from them.
Pruning PushHandler::pruning_of(
    jobs::Claim const& claim, PushRun const& run, std::span<PushResult const> results)
{
    std::array<std::vector<devices::Gone>, core::names_of<Carrier>.size()> gone;
    for (std::size_t i = 0; i < results.size(); ++i) {
        auto const carrier = run.targets()[i].carrier;
        carrier_state_.count(claim, *run.config_of(carrier), results[i]);
        if (auto const device = run.gone(i, results[i]))
            gone[static_cast<std::size_t>(carrier)].push_back(*device);
    }
    Pruning pruning;
    for (std::size_t carrier = 0; carrier < gone.size(); ++carrier) {
        if (auto const* const config = run.config_of(static_cast<Carrier>(carrier)))
            carrier_state_.add_pruning(claim.scope_id, *config, gone[carrier], pruning);
    }
    return pruning;
}

jobs::Outcome PushHandler::end(
    core::ScopeId scope_id, std::shared_ptr<PushRun const> const& run, Pruning pruning) const
{
    auto write = [=, now = deps_.clock.now(), pruning = std::move(pruning)](
                     pg::Tx& tx) { record(tx, scope_id, *run, pruning, now); };
    if (run->next_run()) {
        return run->counts() ? Outcome::retry(*run->next_run(), std::move(write))
                             : Outcome::not_yet(*run->next_run(), std::move(write));
    }
    bool const reached = run->accepted() || run->notification().status == Status::sent;
    return reached ? Outcome::done(std::move(write)) : Outcome::dead(std::move(write));
}

} // namespace notify
