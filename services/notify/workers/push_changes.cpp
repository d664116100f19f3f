#include "workers/push_changes.hpp"

#include "domain/retry.hpp"
#include "storage/notification_status.hpp"
#include "storage/push_jobs.hpp"

#include <any>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace notify {

namespace {

using notifications::Key;

/// A run whose notification is locked.
struct Locked {
    Key key;
    PushRun const& run;
    Notification notification;
};

/// The runs by notification; the runs that found nothing to send go to `ended`.
std::map<Key, PushRun const*> runs_by_key(
    std::span<jobs::FinishedRun const* const> runs, std::vector<Key>& ended)
{
    std::map<Key, PushRun const*> by_key;
    for (auto const* finished : runs) {
        auto const* const change = std::any_cast<PushChange>(&finished->note);
        if (change == nullptr) continue; // put off
        Key const key{finished->claim.scope_id, change->id};
        if (change->run)
            by_key.emplace(key, change->run.get());
        else
            ended.push_back(key);
    }
    return by_key;
}

std::vector<Locked> lock(pg::Tx& tx, std::map<Key, PushRun const*> const& by_key)
{
    std::vector<Key> keys;
    keys.reserve(by_key.size());
    for (auto const& [key, run] : by_key)
        keys.push_back(key);
    std::vector<Locked> locked;
    locked.reserve(keys.size());
    for (auto& [key, n] : notifications::lock(tx, keys)) {
        PushRun const& run = *by_key.at(key);
        if (n.queued_at == run.notification().queued_at) locked.push_back({key, run, n});
    }
    return locked;
}

void write_deliveries(pg::Tx& tx, std::vector<Locked> const& all)
{
    std::vector<push_deliveries::Change> changes;
    for (auto const& locked : all)
        for (auto const& delivery : locked.run.changed())
            changes.push_back({locked.key, &delivery});
    push_deliveries::write(tx, changes);
}

std::vector<PausedRun> paused_of(std::vector<Locked> const& all)
{
    std::vector<PausedRun> paused;
    for (auto const& [key, run, n] : all)
        if (run.paused())
            paused.push_back(
                {key.scope_id, *run.paused(), run.next_run() ? std::optional(key.id) : std::nullopt});
    return paused;
}

/// The queued pushes whose last run has ended without success, although no other carrier has a job for them.
std::set<Key> hopeless(pg::Tx& tx, std::vector<Locked> const& all)
{
    std::vector<Key> ended;
    for (auto const& locked : all) {
        bool const goes_on = locked.run.accepted() || locked.run.next_run();
        if (!goes_on && locked.notification.status == Status::queued) ended.push_back(locked.key);
    }
    if (ended.empty()) return {};
    return push_jobs::without_job(tx, ended);
}

} // namespace

void record_push_changes(pg::Tx& tx, std::span<jobs::FinishedRun const* const> runs, core::Time now)
{
    std::vector<Key> ended;
    auto locked = lock(tx, runs_by_key(runs, ended));
    push_deliveries::fail_pending(tx, ended, failures::overtaken, now);
    write_deliveries(tx, locked);
    write_pauses(tx, paused_of(locked), push_queue_of, now);
    auto const failed = hopeless(tx, locked);
    std::vector<notifications::StatusChange> changes;
    std::vector<notifications::Progress> progress;
    for (auto& [key, run, n] : locked) {
        if (run.counts()) n.attempts = std::max(n.attempts, run.attempts());
        bool const sent = run.accepted() && n.status == Status::queued;
        if (sent)
            changes.push_back({key.scope_id, std::move(n), Status::sent, std::nullopt, now});
        else if (failed.contains(key))
            changes.push_back({key.scope_id, std::move(n), Status::failed, run.reason(), now});
        else if (run.counts())
            progress.push_back({key.scope_id, n});
    }
    notifications::update_progress(tx, progress);
    notifications::change_statuses(tx, std::move(changes), now);
}

} // namespace notify
