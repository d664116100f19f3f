#include "workers/common.hpp"

#include "crypto/random.hpp"
#include "domain/retry.hpp"
#include "storage/deliveries.hpp"
#include "storage/events.hpp"
#include "storage/notifications.hpp"
#include "tenancy/directory.hpp"

namespace notify {

namespace {

using jobs::Outcome;

std::optional<Status> status_after(Next next) noexcept
{
    switch (next) {
    case Next::sent:
        return Status::sent;
    case Next::failed:
        return Status::failed;
    case Next::again:
        break;
    }
    return std::nullopt;
}

void record(
    pg::Tx& tx, std::int64_t scope_id, Tried const& tried, Answer const& answer, Next next, core::Time at)
{
    auto n = lock_tried(tx, scope_id, tried);
    if (!n) return;
    ++n->attempts;
    if (!answer.provider_id.empty()) n->provider_id = answer.provider_id;
    auto const detail = next == Next::failed ? std::optional(answer.reason) : std::nullopt;
    move_and_tell(tx, scope_id, *n, status_after(next), detail, at);
}

} // namespace

std::optional<Owner> owner_of(DeliveryDeps const& deps, std::int64_t scope_id)
{
    core::Scope const numbered{scope_id, {}};
    auto const tenant = wait(deps.io, deps.directory.find_by_id(numbered.tenant_id()));
    if (!tenant) return std::nullopt;
    return Owner{tenant->scope(numbered.environment()), tenant->suspended};
}

std::optional<Notification> lock_tried(pg::Tx& tx, std::int64_t scope_id, Tried const& tried)
{
    auto n = notifications::lock(tx, scope_id, tried.id);
    return n && n->queued_at == tried.queued_at ? std::move(n) : std::nullopt;
}

void move_and_tell(pg::Tx& tx, std::int64_t scope_id, Notification& n, std::optional<Status> to,
    std::optional<std::string> const& detail, core::Time at)
{
    if (to && notifications::move(tx, scope_id, n, *to, detail, at))
        events::moved(tx, scope_id, n, at);
    else
        notifications::update_progress(tx, scope_id, n);
}

jobs::Outcome end_of(DeliveryDeps const& deps, std::int64_t scope_id, Notification const& n,
    Attempt const& attempt, std::function<void(pg::Tx&)> also)
{
    core::Time const now = deps.clock.now();
    auto const& answer = attempt.answer;
    auto const again = next_attempt({.attempts = n.attempts + 1,
                                        .due = n.due_at(),
                                        .began = attempt.began,
                                        .now = now,
                                        .retry_after = answer.retry_after},
        crypto::random_u64());
    Next const next = next_of(answer.verdict, again.has_value());
    auto write = [=, tried = Tried::of(n)](pg::Tx& tx) {
        record(tx, scope_id, tried, answer, next, now);
        if (also) also(tx);
    };
    switch (next) {
    case Next::sent:
        return Outcome::done(std::move(write));
    case Next::again:
        return Outcome::retry(*again, std::move(write));
    case Next::failed:
        break;
    }
    return Outcome::dead(std::move(write));
}

jobs::Outcome give_up(
    DeliveryDeps const& deps, std::int64_t scope_id, Notification const& n, std::string_view reason)
{
    return Outcome::dead(
        [=, tried = Tried::of(n), why = std::string(reason), now = deps.clock.now()](pg::Tx& tx) {
            if (auto locked = lock_tried(tx, scope_id, tried))
                move_and_tell(tx, scope_id, *locked, Status::failed, why, now);
        });
}

void break_off(pg::Tx& tx, std::int64_t scope_id, Notification& n, core::Time at)
{
    std::string const why(failures::internal);
    deliveries::drop_pending(tx, scope_id, n.id, why, at);
    bool const fails = n.status == Status::queued;
    move_and_tell(tx, scope_id, n, fails ? std::optional(Status::failed) : std::nullopt, why, at);
}

void give_up_unwritten(pg::Tx& tx, jobs::Claim const& claim, core::Time at)
{
    auto n = notifications::lock(tx, claim.scope_id, claim.ref);
    if (n) break_off(tx, claim.scope_id, *n, at);
}

jobs::Outcome end_broken(DeliveryDeps const& deps, jobs::Claim const& claim, core::Time began)
{
    auto const n = deps.db.transact_blocking(pg::Scopes(claim.scope_id),
        [&](pg::Tx& tx) { return notifications::lock(tx, claim.scope_id, claim.ref); });
    if (!n) return Outcome::done();
    core::Time const now = deps.clock.now();
    auto const again = next_attempt(
        {.attempts = n->attempts + 1, .due = n->due_at(), .began = began, .now = now}, crypto::random_u64());
    auto write = [=, scope_id = claim.scope_id, tried = Tried::of(*n), ends = !again](pg::Tx& tx) {
        auto locked = lock_tried(tx, scope_id, tried);
        if (!locked) return;
        ++locked->attempts;
        if (ends)
            break_off(tx, scope_id, *locked, now);
        else
            notifications::update_progress(tx, scope_id, *locked);
    };
    return again ? Outcome::retry(*again, std::move(write)) : Outcome::dead(std::move(write));
}

} // namespace notify
