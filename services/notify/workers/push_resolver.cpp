#include "workers/push_resolver.hpp"

#include "domain/retry.hpp"
#include "storage/notification_status.hpp"
#include "storage/push_deliveries.hpp"
#include "storage/push_jobs.hpp"
#include "workers/active_tenants.hpp"

#include <any>
#include <utility>
#include <vector>

namespace notify {

namespace {

constexpr std::size_t capacity = 2'048;
constexpr std::size_t claim_per_scope = 128;

/// The note of a job that the transaction has to handle. Jobs of suspended tenants have none.
struct Resolve {};

/// The pushes of the runs that have something to send.
struct Unsent {
    std::vector<notifications::Key> keys;
    std::vector<Notification> notifications;
};

Unsent find_unsent(pg::Tx& tx, std::span<jobs::FinishedRun const* const> runs)
{
    std::vector<notifications::Key> keys;
    for (auto const* run : runs)
        if (run->note.type() == typeid(Resolve)) keys.push_back({run->claim.scope_id, run->claim.ref});
    auto found = push_jobs::find_unsent(tx, keys);
    Unsent unsent;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        if (!found[i]) continue;
        unsent.keys.push_back(keys[i]);
        unsent.notifications.push_back(*std::move(found[i]));
    }
    return unsent;
}

/// Fails queued pushes whose user has no device.
void fail(pg::Tx& tx, std::vector<notifications::Key> const& keys, core::Time now)
{
    std::vector<notifications::StatusChange> changes;
    for (auto& [key, n] : notifications::lock(tx, keys)) {
        if (n.status != Status::queued) continue;
        ++n.attempts;
        changes.push_back(
            {key.scope_id, std::move(n), Status::failed, std::string(failures::no_devices), now});
    }
    notifications::change_statuses(tx, std::move(changes), now);
}

} // namespace

jobs::AsyncWorkerOptions PushResolver::options() const
{
    return {.queue = std::string(queue_of(Channel::push)),
        .capacity = capacity,
        .claim_per_scope = claim_per_scope};
}

void PushResolver::begin(
    std::vector<jobs::Claim> claims, jobs::AsyncWorker& worker, std::stop_token const& /*stop*/)
{
    keep_active(claims, worker, deps_);
    for (auto& claim : claims)
        worker.finish({.claim = std::move(claim), .note = Resolve{}});
}

void resolve_pushes(pg::Tx& tx, std::span<jobs::FinishedRun const* const> runs, core::Time now)
{
    auto const unsent = find_unsent(tx, runs);
    if (unsent.keys.empty()) return;
    std::vector<push_deliveries::Push> pushes;
    pushes.reserve(unsent.keys.size());
    for (std::size_t i = 0; i < unsent.keys.size(); ++i)
        pushes.push_back({unsent.keys[i], unsent.notifications[i].to});
    auto const carriers = push_deliveries::carriers(tx, pushes);
    push_jobs::enqueue(tx, unsent.keys, carriers);
    std::vector<notifications::Key> without_devices;
    std::vector<push_deliveries::Push> of_several;
    for (std::size_t i = 0; i < carriers.size(); ++i) {
        if (carriers[i].empty()) without_devices.push_back(unsent.keys[i]);
        if (carriers[i].size() > 1) of_several.push_back(pushes[i]);
    }
    push_deliveries::plan(tx, of_several);
    if (!without_devices.empty()) fail(tx, without_devices, now);
}

} // namespace notify
