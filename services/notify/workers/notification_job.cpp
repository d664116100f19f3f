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

void fail_given_up(pg::Tx& tx, jobs::Claim const& claim, core::Time now)
{
    auto n = notifications::lock(tx, claim.scope_id, claim.ref);
    if (n) fail_internally(tx, claim.scope_id, *n, now);
}

} // namespace notify
