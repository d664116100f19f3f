#include "workers/message_changes.hpp"

#include "domain/status.hpp"
#include "storage/notification_status.hpp"
#include "storage/suppressions.hpp"

#include <any>
#include <map>
#include <utility>
#include <vector>

namespace notify {

namespace {

using notifications::Key;
using ByKey = std::map<Key, MessageChange const*>;

ByKey changes_of(std::span<jobs::FinishedRun const* const> runs)
{
    ByKey changes;
    for (auto const* run : runs)
        if (auto const* const change = std::any_cast<MessageChange>(&run->note))
            changes.emplace(Key{run->claim.scope_id, change->id}, change);
    return changes;
}

std::map<Key, Notification> lock(pg::Tx& tx, ByKey const& changes)
{
    std::vector<Key> keys;
    keys.reserve(changes.size());
    for (auto const& [key, change] : changes)
        keys.push_back(key);
    return notifications::lock(tx, keys);
}

/// Applies a change to `n`, except for the status.
void apply(MessageChange const& change, Notification& n)
{
    if (change.counts) ++n.attempts;
    if (!change.provider_id.empty()) n.provider_id = change.provider_id;
    if (n.attempt_token == change.ended_attempt) n.attempt_token.reset();
}

/// Suppresses the numbers whose owners have opted out.
void suppress(pg::Tx& tx, ByKey const& changes, std::map<Key, Notification> const& locked)
{
    for (auto const& [key, n] : locked) {
        auto const& change = *changes.at(key);
        if (change.opted_out) suppressions::insert(tx, key.scope_id, Channel::sms, n.to, change.reason);
    }
}

} // namespace

void record_message_changes(pg::Tx& tx, std::span<jobs::FinishedRun const* const> runs, core::Time now)
{
    auto const changes = changes_of(runs);
    if (changes.empty()) return;
    auto locked = lock(tx, changes);
    suppress(tx, changes, locked);
    std::vector<notifications::StatusChange> status_changes;
    std::vector<notifications::Progress> progress;
    for (auto& [key, n] : locked) {
        auto const& change = *changes.at(key);
        if (change.queued_at && *change.queued_at != n.queued_at) continue;
        apply(change, n);
        if (change.to && advance(n.status, *change.to)) {
            auto detail =
                *change.to == Status::failed ? std::optional(change.reason) : std::optional<std::string>();
            status_changes.push_back({key.scope_id, std::move(n), *change.to, std::move(detail), now});
        } else {
            progress.push_back({key.scope_id, n});
        }
    }
    notifications::update_progress(tx, progress);
    notifications::change_statuses(tx, std::move(status_changes), now);
}

} // namespace notify
