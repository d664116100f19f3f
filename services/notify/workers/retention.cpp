#include "workers/retention.hpp"

#include "pg/database.hpp"
#include "tenancy/tenant_rows.hpp"

#include <algorithm>
#include <iterator>
#include <string>

namespace notify {

namespace {

prometheus::Counter* counter(observe::Metrics& metrics, char const* kind)
{
    return &metrics.counter("tetrad_retention_purged_total",
        "Notifications and broadcasts that were deleted or lost their content because of their age.",
        {{"kind", kind}});
}

} // namespace

RetentionPurge::RetentionPurge(
    pg::Database& db, core::Clock const& clock, observe::Metrics& metrics, RetentionLimits limits)
    : db_(db), clock_(clock), limits_(limits),
      kinds_{{
          {retention::erase_contents, counter(metrics, "notification_content")},
          {retention::delete_notifications, counter(metrics, "notification")},
          {retention::erase_broadcast_contents, counter(metrics, "broadcast_content")},
          {retention::delete_broadcasts, counter(metrics, "broadcast")},
      }}
{
}

bool RetentionPurge::step()
{
    try {
        auto const scopes = next_scopes();
        if (scopes.empty()) {
            reset();
            return false;
        }
        purge(scopes);
        return true;
    } catch (...) {
        reset();
        throw;
    }
}

/// The scopes of the next step; none if the run has ended.
std::vector<core::ScopeId> RetentionPurge::next_scopes()
{
    if (!visited_all_) {
        auto scopes = db_.transact_blocking(pg::Scopes(),
            [&](pg::Tx& tx) { return tenancy::tenant_rows::scopes_after(tx, visited_, limits_.scopes); });
        if (!scopes.empty()) {
            visited_ = scopes.back();
            return scopes;
        }
        visited_all_ = true;
    }
    auto const count = static_cast<std::ptrdiff_t>(std::min(waiting_.size(), limits_.scopes));
    std::vector<core::ScopeId> scopes(waiting_.begin(), waiting_.begin() + count);
    waiting_.erase(waiting_.begin(), waiting_.begin() + count);
    return scopes;
}

void RetentionPurge::purge(std::vector<core::ScopeId> const& scopes)
{
    for (auto& kind : kinds_)
        purge(kind, scopes);
    for (auto const id : scopes)
        if (std::ranges::any_of(kinds_, [id](Kind const& kind) { return kind.unfinished.contains(id); }))
            waiting_.push_back(id);
}

/// The first call visits the rows of all scopes. Later calls visit the scopes that are unfinished.
void RetentionPurge::purge(Kind& kind, std::vector<core::ScopeId> const& scopes)
{
    std::vector<core::ScopeId> open;
    std::ranges::copy_if(scopes, std::back_inserter(open),
        [&](core::ScopeId id) { return !visited_all_ || kind.unfinished.contains(id); });
    if (open.empty()) return;
    auto const purged = db_.transact_blocking(pg::Scopes(open), [&](pg::Tx& tx) {
        retention::Step step{.scopes = retention::scopes_of(tx, open, clock_.now()),
            .rows = std::max<std::size_t>(limits_.rows / open.size(), 1),
            .files = limits_.files,
            .now = clock_.now()};
        for (auto& scope : step.scopes)
            if (auto const at = kind.unfinished.find(scope.id); at != kind.unfinished.end())
                scope.after = at->second;
        return kind.purge(tx, step);
    });
    kind.purged->Increment(static_cast<double>(purged.rows));
    for (auto const id : open)
        kind.unfinished.erase(id);
    kind.unfinished.insert(purged.unfinished.begin(), purged.unfinished.end());
}

void RetentionPurge::reset()
{
    visited_ = core::no_scope;
    visited_all_ = false;
    waiting_.clear();
    for (auto& kind : kinds_)
        kind.unfinished.clear();
}

} // namespace notify
