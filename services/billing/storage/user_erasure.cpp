#include "storage/user_erasure.hpp"

#include "audit/audit.hpp"
#include "auth/erased_user_rows.hpp"
#include "pg/row.hpp"
#include "storage/event_claims.hpp"
#include "storage/event_erasure.hpp"
#include "storage/event_users.hpp"
#include "storage/subscriptions.hpp"
#include "storage/sync_requests.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

namespace billing::user_erasure {

namespace {

using user_data::Erasure;

/// Maximum number of subscriptions that a step processes. A subscription has up to 200 removed items, and any
/// number of events.
constexpr std::size_t max_subscriptions = 50;

std::size_t limit_if(bool any, std::size_t limit)
{
    return any ? limit : 0;
}

std::vector<std::string> texts(pg::Rows const& rows)
{
    return pg::read_rows(rows, &pg::RowReader::text);
}

void delete_subscriptions(pg::Tx& tx, Erasure const& erasure, std::vector<std::string> const& ids)
{
    core::ScopeId const scope_id = erasure.scope.id;
    if (is_deleted(tx, scope_id, erasure.user_id))
        for (auto const& id : ids)
            event_claims::insert_erased(tx, scope_id, id);
    for (auto const& id : ids)
        subscriptions::remove(tx, scope_id, id);
}

} // namespace

std::size_t file_events(pg::Tx& tx, Erasure const& erasure, std::size_t limit)
{
    return limit_if(event_users::file_older(tx, erasure.scope.id, limit), limit);
}

std::size_t erase_events(pg::Tx& tx, Erasure const& erasure, std::size_t limit)
{
    core::ScopeId const scope_id = erasure.scope.id;
    pg::lock_scope(tx, scope_id);
    bool const any = event_erasure::erase_own(tx, scope_id, erasure.user_id, erasure.pseudonym) ||
                     event_erasure::erase_mentions(tx, scope_id, erasure.user_id, erasure.pseudonym);
    return limit_if(any, limit);
}

std::size_t erase_subscriptions(pg::Tx& tx, Erasure const& erasure, std::size_t limit)
{
    core::ScopeId const scope_id = erasure.scope.id;
    pg::lock_scope(tx, scope_id);
    auto const ids = texts(tx.run(R"(
        SELECT s.subscription_id
        FROM payment_subscriptions s
        WHERE s.scope_id = $1 AND s.user_id = $2
        LIMIT $3::bigint)",
        {scope_id, erasure.user_id, max_subscriptions}));
    if (ids.empty()) return 0;
    // The row connects these events with the user, so it is deleted after the last of them was erased.
    bool const any =
        event_erasure::erase_of_subscriptions(tx, scope_id, erasure.user_id, erasure.pseudonym, ids) ||
        event_erasure::erase_own(tx, scope_id, erasure.user_id, erasure.pseudonym);
    if (!any) delete_subscriptions(tx, erasure, ids);
    return limit;
}

std::size_t erase_former_items(pg::Tx& tx, Erasure const& erasure, std::size_t limit)
{
    core::ScopeId const scope_id = erasure.scope.id;
    pg::lock_scope(tx, scope_id);
    auto const ids = texts(tx.run(R"(
        DELETE FROM subscription_former_users f
        WHERE f.scope_id = $1 AND f.user_id = $2 AND f.subscription_id = ANY (ARRAY(
            SELECT x.subscription_id
            FROM subscription_former_users x
            WHERE x.scope_id = $1 AND x.user_id = $2
            LIMIT $3::bigint
        ))
        RETURNING f.subscription_id)",
        {scope_id, erasure.user_id, max_subscriptions}));
    for (auto const& id : ids) {
        auto subscription = subscriptions::find(tx, scope_id, id);
        if (!subscription) continue;
        std::erase_if(subscription->removed,
            [&](Subscription::Removed const& removed) { return removed.user_id == erasure.user_id; });
        subscriptions::upsert(tx, scope_id, *subscription);
    }
    return limit_if(!ids.empty(), limit);
}

std::size_t erase_entitlements(pg::Tx& tx, Erasure const& erasure, std::size_t limit)
{
    core::ScopeId const scope_id = erasure.scope.id;
    pg::lock_scope(tx, scope_id);
    auto const ids = texts(tx.run(R"(
        SELECT e.entitlement_id::text
        FROM entitlements e
        WHERE e.scope_id = $1 AND e.user_id = $2
        LIMIT $3::bigint)",
        {scope_id, erasure.user_id, limit}));
    if (ids.empty()) return 0;
    // The rows connect these entries with the user, so they are deleted after the last of them was erased.
    if (audit::erase_user(tx, scope_id, erasure.user_id, erasure.pseudonym.text(), ids, limit) == 0)
        tx.run("DELETE FROM entitlements WHERE scope_id = $1 AND entitlement_id = ANY ($2::uuid[])",
            {scope_id, ids});
    return limit;
}

void erase_sync(pg::Tx& tx, Erasure const& erasure)
{
    sync_requests::remove(tx, erasure.scope.id, erasure.user_id);
    auto const tenant_id = erasure.scope.tenant_id();
    tx.run(R"(
        DELETE FROM syncs s
        WHERE s.tenant_id = $1 AND s.user_id = $2 AND NOT EXISTS (
            SELECT
            FROM entitlements e
            WHERE e.scope_id = ANY ($3::bigint[]) AND e.scope_id <> $4 AND e.user_id = $2 AND e.source = 'purchases'
        ))",
        {tenant_id, erasure.user_id, pg::Scopes::of_tenant(tenant_id).ids(), erasure.scope.id});
}

bool is_deleted(pg::Tx& tx, core::ScopeId scope_id, core::UserId const& user_id)
{
    return auth::erased_user_rows::were_erased(tx, scope_id, std::span(&user_id.text(), 1)).front();
}

} // namespace billing::user_erasure
