#include "workers/push.hpp"

#include "crypto/random.hpp"
#include "domain/retry.hpp"
#include "jobs/queue.hpp"
#include "storage/notifications.hpp"

#include <algorithm>
#include <array>

namespace notify {

namespace {

using jobs::Outcome;
using namespace std::chrono_literals;

constexpr auto patience = 20s; ///< time limit for all answers; devices without an answer are retried

SharedPush rendered(core::Scope const& scope, Notification const& n)
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
    bool const hopeless = !run.again() && locked.status == Status::queued;
    return hopeless ? std::optional(Status::failed) : std::nullopt;
}

void record(pg::Tx& tx, std::int64_t scope_id, PushRun const& run, Pruning const& pruning, core::Time now)
{
    auto n = lock_tried(tx, scope_id, Tried::of(run.notification()));
    if (!n) return;
    if (run.counts()) ++n->attempts;
    deliveries::record(tx, scope_id, n->id, run.changed());
    // If a credential was replaced or a pause ended during this run, no resume job will make the push due, so
    // it is made due here.
    if (!halt(tx, scope_id, run.halted(), now)) jobs::enqueue(tx, queue_of(Channel::push), scope_id, n->id);
    prune(tx, scope_id, pruning, now);
    auto const to = status_after(run, *n);
    auto const detail = to == Status::failed ? std::optional(run.reason()) : std::nullopt;
    move_and_tell(tx, scope_id, *n, to, detail, now);
}

} // namespace

PushHandler::Loaded PushHandler::load(jobs::Claim const& claim) const
{
    return deps_.db.transact_blocking(pg::Scopes(claim.scope_id), [&](pg::Tx& tx) {
        Loaded loaded{.notification = notifications::find(tx, claim.scope_id, claim.ref)};
        auto const& n = loaded.notification;
        if (!n || (n->status != Status::queued && n->status != Status::sent)) return loaded;
        loaded.targets = deliveries::targets(tx, claim.scope_id, n->id, n->to);
        loaded.platforms = platforms::load(tx, claim.scope_id);
        return loaded;
    });
}

jobs::Outcome PushHandler::operator()(jobs::Claim& claim, std::stop_token const& stop)
{
    core::Time const now = deps_.clock.now();
    auto const owner = owner_of(deps_, claim.scope_id);
    if (!owner) return Outcome::done();
    if (owner->suspended) return Outcome::not_yet(now + suspended_pause);
    auto loaded = load(claim);
    if (!loaded.notification) return Outcome::done();
    claim.traceparent = loaded.notification->traceparent.value_or("");
    Status const status = loaded.notification->status;
    if (status != Status::queued && status != Status::sent) {
        return Outcome::done([=](pg::Tx& tx) {
            deliveries::drop_pending(tx, claim.scope_id, claim.ref, failures::overtaken, now);
        });
    }
    auto const run = std::make_shared<PushRun>(
        std::move(*loaded.notification), std::move(loaded.targets), std::move(loaded.platforms), now);
    auto pruning = ask(claim, *run, rendered(owner->scope, run->notification()), stop);
    return end(claim.scope_id, run, std::move(pruning));
}

PushCredentials PushHandler::credentials_for(std::int64_t scope_id, PushRun const& run)
{
    PushCredentials credentials;
    for (auto const& target : run.asked()) {
        auto& credential = target.kind == PlatformKind::fcm ? credentials.fcm : credentials.apns;
        if (!credential) credential = carriers_.credential_of(scope_id, *run.platform_of(target.kind));
    }
    return credentials;
}

Pruning PushHandler::ask(
    jobs::Claim const& claim, PushRun& run, SharedPush const& push, std::stop_token const& stop)
{
    if (run.asked().empty()) return {};
    auto const credentials = credentials_for(claim.scope_id, run);
    auto const answers = deps_.push.send_all(credentials, push, run.asked(), patience, stop);
    run.apply(answers, deps_.clock.now(), crypto::random_u64());
    carriers_.report(claim, run.halted());
    for (std::size_t i = 0; i < answers.size(); ++i)
        carriers_.count(claim, *run.platform_of(run.asked()[i].kind), answers[i]);
    return pruning_of(claim.scope_id, run, answers);
}

Pruning PushHandler::pruning_of(
    std::int64_t scope_id, PushRun const& run, std::span<PushAnswer const> answers) const
{
    std::array<std::vector<devices::Gone>, platform_kinds.size()> gone;
    for (std::size_t i = 0; i < answers.size(); ++i) {
        if (auto const device = run.gone(i, answers[i]))
            gone[static_cast<std::size_t>(run.asked()[i].kind)].push_back(*device);
    }
    Pruning pruning;
    for (std::size_t kind = 0; kind < gone.size(); ++kind) {
        if (auto const* const platform = run.platform_of(static_cast<PlatformKind>(kind)))
            carriers_.judge(scope_id, *platform, gone[kind], pruning);
    }
    return pruning;
}

jobs::Outcome PushHandler::end(
    std::int64_t scope_id, std::shared_ptr<PushRun const> const& run, Pruning pruning) const
{
    auto write = [=, now = deps_.clock.now(), pruning = std::move(pruning)](
                     pg::Tx& tx) { record(tx, scope_id, *run, pruning, now); };
    if (run->again()) {
        return run->counts() ? Outcome::retry(*run->again(), std::move(write))
                             : Outcome::not_yet(*run->again(), std::move(write));
    }
    bool const reached = run->accepted() || run->notification().status == Status::sent;
    return reached ? Outcome::done(std::move(write)) : Outcome::dead(std::move(write));
}

} // namespace notify
