#include "workers/common.hpp"

#include "api/events.hpp"
#include "crypto/random.hpp"
#include "domain/retry.hpp"
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
    pg::Tx& tx, std::int64_t scope_id, core::Uuid const& id, Answer const& answer, Next next, core::Time at)
{
    auto n = notifications::lock(tx, scope_id, id);
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
    auto write = [=, id = n.id](pg::Tx& tx) {
        record(tx, scope_id, id, answer, next, now);
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
    DeliveryDeps const& deps, std::int64_t scope_id, core::Uuid const& id, std::string_view reason)
{
    return Outcome::dead([=, why = std::string(reason), now = deps.clock.now()](pg::Tx& tx) {
        if (auto n = notifications::lock(tx, scope_id, id))
            move_and_tell(tx, scope_id, *n, Status::failed, why, now);
    });
}

} // namespace notify
