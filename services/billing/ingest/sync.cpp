#include "ingest/sync.hpp"

#include "domain/sync.hpp"
#include "ingest/publish.hpp"
#include "storage/entitlements.hpp"
#include "storage/user_erasure.hpp"

#include <utility>

namespace billing::ingest {

namespace {

SyncResult apply_in(pg::Tx& tx, core::Scope const& scope, core::UserId const& user_id,
    Subscriber const& subscriber, core::Time asked_at, std::string const& traceparent, core::Time now)
{
    if (user_erasure::is_deleted(tx, scope.id, user_id)) return {scope, {}};
    auto const stored = entitlements::of_source(tx, scope.id, user_id, Source::purchases);
    SyncResult result{scope, decide_sync(scope.id, user_id, subscriber, stored, asked_at)};
    std::vector<Entitlement> rows;
    for (auto const& write : result.writes)
        rows.push_back(write.to);
    entitlements::upsert(tx, scope.id, rows);
    std::vector<EntitlementChange> changes;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        auto& write = result.writes[i];
        write.to = std::move(rows[i]);
        if (is_changed_by_sync(write)) changes.push_back(write);
    }
    publish_changes(tx, scope.id, traceparent, changes, now);
    return result;
}

} // namespace

std::optional<audit::Entry> SyncResult::audit_entry(core::UserId const& user_id) const
{
    boost::json::object before, after;
    for (auto const& write : writes) {
        if (!is_changed_by_sync(write)) continue;
        auto const id = write.to.id.to_string();
        if (write.from) before[id] = to_string(write.from->status);
        after[id] = to_string(write.to.status);
    }
    if (after.empty()) return std::nullopt;
    return audit::Entry{.action = "entitlements.synced",
        .subject_type = "user",
        .subject_id = user_id.text(),
        .before = std::move(before),
        .after = std::move(after)};
}

std::array<SyncResult, 2> apply_sync(pg::Tx& tx, core::TenantId tenant_id, core::UserId const& user_id,
    Subscriber const& subscriber, core::Time asked_at, std::string const& traceparent, core::Time now)
{
    auto const production = core::Scope::of(tenant_id, core::Environment::production, {});
    auto const sandbox = core::Scope::of(tenant_id, core::Environment::sandbox, {});
    pg::lock_scope(tx, production.id);
    pg::lock_scope(tx, sandbox.id);
    auto first = apply_in(tx, production, user_id, subscriber, asked_at, traceparent, now);
    auto second = apply_in(tx, sandbox, user_id, subscriber, asked_at, traceparent, now);
    return {std::move(first), std::move(second)};
}

} // namespace billing::ingest
