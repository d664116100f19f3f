#include "workers/sms_changes.hpp"

#include "domain/status.hpp"
#include "storage/notification_status.hpp"
#include "storage/suppressions.hpp"

#include <any>
#include <map>
#include <utility>
#include <vector>

namespace notify {

namespace {

using ById = std::map<core::Uuid, SmsChange const*>;

/// The changes of one scope, and the notifications that they concern, which are locked.
struct Group {
    ById changes;
    std::vector<Notification> locked;
};

std::map<core::ScopeId, Group> groups_of(std::span<jobs::FinishedRun const* const> runs)
{
    std::map<core::ScopeId, Group> groups;
    for (auto const* run : runs)
        if (auto const* const change = std::any_cast<SmsChange>(&run->note))
            groups[run->claim.scope_id].changes.emplace(change->id, change);
    return groups;
}

void lock(pg::Tx& tx, core::ScopeId scope_id, Group& group)
{
    std::vector<core::Uuid> ids;
    for (auto const& [id, change] : group.changes)
        ids.push_back(id);
    group.locked = notifications::lock(tx, scope_id, ids);
}

/// Applies a change to `n`, except for the status.
void apply(SmsChange const& change, Notification& n)
{
    if (change.counts) ++n.attempts;
    if (!change.provider_id.empty()) n.provider_id = change.provider_id;
    if (n.attempt_token == change.ended_attempt) n.attempt_token.reset();
}

void write(pg::Tx& tx, core::ScopeId scope_id, Group& group, core::Time now)
{
    std::vector<notifications::StatusChange> status_changes;
    std::vector<std::pair<std::string, std::string>> suppressed; ///< number and reason
    for (auto& n : group.locked) {
        SmsChange const& change = *group.changes.at(n.id);
        if (change.opted_out) suppressed.emplace_back(n.to, change.reason);
        if (change.queued_at && *change.queued_at != n.queued_at) continue;
        apply(change, n);
        if (!change.to || !advance(n.status, *change.to)) {
            notifications::update_progress(tx, scope_id, n);
            continue;
        }
        auto const detail =
            *change.to == Status::failed ? std::optional(change.reason) : std::optional<std::string>();
        status_changes.push_back({std::move(n), *change.to, detail, now});
    }
    for (auto const& [number, reason] : suppressed)
        suppressions::insert(tx, scope_id, Channel::sms, number, reason);
    notifications::change_statuses(tx, scope_id, std::move(status_changes), now);
}

} // namespace

void record_sms_changes(pg::Tx& tx, std::span<jobs::FinishedRun const* const> runs, core::Time now)
{
    auto groups = groups_of(runs);
    for (auto& [scope_id, group] : groups)
        lock(tx, scope_id, group);
    for (auto& [scope_id, group] : groups)
        write(tx, scope_id, group, now);
}

} // namespace notify
