#include "workers/notification_job.hpp"

#include "crypto/random.hpp"
#include "domain/retry.hpp"
#include "domain/status.hpp"
#include "jobs/failure.hpp"
#include "observe/log.hpp"
#include "observe/trace.hpp"
#include "storage/notification_status.hpp"
#include "storage/push_deliveries.hpp"

namespace notify {

namespace {

using Kind = jobs::Outcome::Kind;

/// Fails `n`, which must be locked. A push that has reached some devices fails only at the other devices.
void fail_internally(pg::Tx& tx, core::ScopeId scope_id, Notification& n, core::Time now)
{
    std::string const why(failures::internal);
    n.attempt_token.reset();
    push_deliveries::fail_pending(tx, scope_id, n.id, why, now);
    bool const failed =
        n.status == Status::queued && notifications::change_status(tx, scope_id, n, Status::failed, why, now);
    if (!failed) notifications::update_progress(tx, scope_id, n);
}

} // namespace

Followup followup_of(core::Clock const& clock, Notification const& n, Attempt const& attempt)
{
    core::Time const now = clock.now();
    auto const again = next_attempt({.attempts = n.attempts + 1,
                                        .due = n.due_at(),
                                        .began = attempt.began,
                                        .now = now,
                                        .retry_after = attempt.result.retry_after},
        crypto::random_u64());
    switch (next_step(attempt.result.verdict, again.has_value())) {
    case NextStep::sent:
        return {.kind = Kind::done, .to = Status::sent};
    case NextStep::retry:
        return {.kind = Kind::retry, .again = again.value()};
    case NextStep::failed:
        break;
    }
    return {.kind = Kind::dead, .to = Status::failed};
}

void fail_given_up(pg::Tx& tx, jobs::Claim const& claim, core::Time now)
{
    auto n = notifications::lock(tx, claim.scope_id, claim.ref);
    if (n) fail_internally(tx, claim.scope_id, *n, now);
}

std::vector<notifications::Key> keys_of(std::span<jobs::Claim const> claims)
{
    std::vector<notifications::Key> keys;
    keys.reserve(claims.size());
    for (auto const& claim : claims)
        keys.push_back({claim.scope_id, claim.ref});
    return keys;
}

void log_failure(observe::Logger& logger, jobs::Claim const& claim, std::exception_ptr const& failure)
{
    logger.error("handling a notification failed unexpectedly",
        {{"queue", claim.queue}, {"notificationId", claim.ref.to_string()},
            {"what", observe::first_line(jobs::describe(failure))},
            {"traceId", observe::trace_id_of(claim.traceparent)}});
}

} // namespace notify
