#include "workers/notification_job.hpp"

#include "crypto/random.hpp"
#include "domain/retry.hpp"
#include "domain/status.hpp"
#include "pg/database.hpp"
#include "storage/notification_status.hpp"
#include "storage/notifications.hpp"
#include "storage/push_deliveries.hpp"

namespace notify {

namespace {

using jobs::Outcome;

std::optional<Status> status_after(NextStep next) noexcept
{
    switch (next) {
    case NextStep::sent:
        return Status::sent;
    case NextStep::failed:
        return Status::failed;
    case NextStep::retry:
        break;
    }
    return std::nullopt;
}

/// Fails `n`, which must be locked. A push that has reached some devices fails only at the other devices.
void fail_internally(pg::Tx& tx, core::ScopeId scope_id, Notification& n, core::Time now)
{
    std::string const why(failures::internal);
    n.attempt_token.reset();
    push_deliveries::fail_pending(tx, scope_id, n.id, why, now);
    bool const fails = n.status == Status::queued;
    write_progress(tx, scope_id, n, fails ? std::optional(Status::failed) : std::nullopt, why, now);
}

} // namespace

std::optional<Notification> find_unsent(pg::Tx& tx, jobs::Claim& claim)
{
    auto n = notifications::find(tx, claim.scope_id, claim.ref);
    if (!n) return std::nullopt;
    claim.traceparent = n->traceparent.value_or("");
    return awaits_sending(*n) ? std::move(n) : std::nullopt;
}

void write_progress(pg::Tx& tx, core::ScopeId scope_id, Notification& n, std::optional<Status> to,
    std::optional<std::string> const& detail, core::Time now)
{
    bool const changed = to && notifications::change_status(tx, scope_id, n, *to, detail, now);
    if (!changed) notifications::update_progress(tx, scope_id, n);
}

Followup followup_of(core::Clock const& clock, Notification const& n, Attempt const& attempt)
{
    core::Time const now = clock.now();
    auto const again = next_attempt({.attempts = n.attempts + 1,
                                        .due = n.due_at(),
                                        .began = attempt.began,
                                        .now = now,
                                        .retry_after = attempt.result.retry_after},
        crypto::random_u64());
    NextStep const step = next_step(attempt.result.verdict, again.has_value());
    return {.step = step, .again = again.value_or(now), .to = status_after(step), .now = now};
}

jobs::Outcome end_attempt(
    WorkerDeps const& deps, core::ScopeId scope_id, Notification const& n, Attempt const& attempt)
{
    auto const next = followup_of(deps.clock, n, attempt);
    auto write = [=, result = attempt.result, id = n.id, queued_at = n.queued_at](pg::Tx& tx) {
        auto locked = notifications::lock_if_queued_at(tx, scope_id, id, queued_at);
        if (!locked) return;
        ++locked->attempts;
        if (!result.provider_id.empty()) locked->provider_id = result.provider_id;
        auto const detail = next.step == NextStep::failed ? std::optional(result.reason) : std::nullopt;
        write_progress(tx, scope_id, *locked, next.to, detail, next.now);
    };
    switch (next.step) {
    case NextStep::sent:
        return Outcome::done(std::move(write));
    case NextStep::retry:
        return Outcome::retry(next.again, std::move(write));
    case NextStep::failed:
        break;
    }
    return Outcome::dead(std::move(write));
}

jobs::Outcome end_after_exception(WorkerDeps const& deps, jobs::Claim const& claim, core::Time began)
{
    auto const n = deps.db.transact_blocking(pg::Scopes(claim.scope_id),
        [&](pg::Tx& tx) { return notifications::lock(tx, claim.scope_id, claim.ref); });
    if (!n) return Outcome::done();
    core::Time const now = deps.clock.now();
    auto const again = next_attempt(
        {.attempts = n->attempts + 1, .due = n->due_at(), .began = began, .now = now}, crypto::random_u64());
    auto write = [=, scope_id = claim.scope_id, id = n->id, queued_at = n->queued_at, ends = !again](
                     pg::Tx& tx) {
        auto locked = notifications::lock_if_queued_at(tx, scope_id, id, queued_at);
        if (!locked) return;
        ++locked->attempts;
        if (ends)
            fail_internally(tx, scope_id, *locked, now);
        else
            notifications::update_progress(tx, scope_id, *locked);
    };
    return again ? Outcome::retry(*again, std::move(write)) : Outcome::dead(std::move(write));
}

void fail_given_up(pg::Tx& tx, jobs::Claim const& claim, core::Time now)
{
    auto n = notifications::lock(tx, claim.scope_id, claim.ref);
    if (n) fail_internally(tx, claim.scope_id, *n, now);
}

} // namespace notify
