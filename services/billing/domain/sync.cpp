#include "domain/sync.hpp"

#include "core/scope.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace billing {

namespace {

bool is_after(std::optional<core::Time> const& time, core::Time moment) noexcept
{
    return time && *time > moment;
}

/// Whether the paid period and any grace period have ended.
bool has_ended(Purchase const& p, core::Time at) noexcept
{
    return p.expires_at && *p.expires_at <= at && !is_after(p.grace_ends_at, at);
}

Status status_of(Purchase const& p, core::Time at) noexcept
{
    if (p.refunded_at) return Status::expired;
    if (is_after(p.resumes_at, at)) return Status::paused;
    if (p.billing_issue_at) return is_after(p.grace_ends_at, at) ? Status::active : Status::expired;
    return has_ended(p, at) ? Status::expired : Status::active;
}

void end_by(Entitlement& e, core::Time end) noexcept
{
    e.expires_at = e.expires_at ? std::min(*e.expires_at, end) : end;
    e.grace_until.reset();
    e.will_renew = false;
}

void set_decided_by_sync(Entitlement& e, core::Time asked_at)
{
    e.last_event_type = sync_type;
    e.last =
        EventOrder{.at = asked_at, .period_end = e.expires_at.value_or(core::Time::max()), .event_id = {}};
    e.last_transaction_id = e.transaction_id;
}

/// Copies `created_at` and `revision` from `from` to `to`, because a sync does not set them.
void carry_over(Entitlement& to, Entitlement const& from)
{
    to.created_at = from.created_at;
    to.revision = from.revision;
}

/// The entitlement after a sync in which the provider no longer lists the purchase.
Entitlement expired_by_sync(Entitlement const& stored, core::Time asked_at)
{
    Entitlement e = stored;
    e.status = Status::expired;
    end_by(e, asked_at);
    set_decided_by_sync(e, asked_at);
    e.updated_at = set_by_database;
    return e;
}

/// The entitlements that the provider states for one environment, by id. The document may list a product
/// twice: with a base plan, and with the plan in the product id. In this case the better entitlement is used.
/// An active entitlement is better than an inactive entitlement; otherwise, the later end is better.
std::map<core::Uuid, Entitlement> entitlements_at_provider(
    core::ScopeId scope_id, core::UserId const& user_id, Subscriber const& subscriber, core::Time asked_at)
{
    bool const sandbox = core::environment_of(scope_id) == core::Environment::sandbox;
    std::map<core::Uuid, Entitlement> found;
    auto const lasts = [](Entitlement const& e) {
        return std::pair(e.status == Status::active, ends_at(e).value_or(core::Time::max()));
    };
    auto const add = [&](Purchase const& purchase) {
        if (purchase.sandbox != sandbox) return;
        Entitlement e = entitlement_after(purchase, scope_id, user_id, asked_at);
        auto const [it, added] = found.try_emplace(e.id, e);
        if (!added && lasts(e) > lasts(it->second)) it->second = std::move(e);
    };
    std::ranges::for_each(subscriber.subscriptions, add);
    if (subscriber.consumables) std::ranges::for_each(*subscriber.consumables, add);
    return found;
}

} // namespace

Entitlement entitlement_after(
    Purchase const& purchase, core::ScopeId scope_id, core::UserId const& user_id, core::Time asked_at)
{
    Entitlement e;
    e.id = entitlement_id(scope_id, Source::purchases, user_id, purchase.product, purchase.transaction);
    e.user_id = user_id;
    e.source = Source::purchases;
    e.provider_product_id = purchase.product;
    e.transaction_id = purchase.transaction;
    e.status = status_of(purchase, asked_at);
    e.purchased_at = purchase.purchased_at;
    e.expires_at = purchase.expires_at;
    e.grace_until = purchase.grace_ends_at;
    e.will_renew = e.status != Status::expired && purchase.expires_at && !purchase.unsubscribed_at;
    if (purchase.refunded_at) end_by(e, *purchase.refunded_at);
    set_decided_by_sync(e, asked_at);
    return e;
}

bool is_changed_by_sync(EntitlementChange const& write) noexcept
{
    if (!write.from) return true;
    auto const synced = [](Entitlement const& e) {
        return std::tie(e.status, e.purchased_at, e.expires_at, e.grace_until, e.will_renew);
    };
    return synced(*write.from) != synced(write.to);
}

std::vector<EntitlementChange> decide_sync(core::ScopeId scope_id, core::UserId const& user_id,
    Subscriber const& subscriber, std::span<Entitlement const> stored, core::Time asked_at)
{
    auto found = entitlements_at_provider(scope_id, user_id, subscriber, asked_at);
    std::vector<EntitlementChange> writes;
    for (auto const& before : stored) {
        auto node = found.extract(before.id);
        bool const is_unreported = !before.transaction_id.empty() && !subscriber.consumables;
        if (before.last.at >= asked_at || (node.empty() && is_unreported)) continue;
        Entitlement after = node.empty() ? expired_by_sync(before, asked_at) : std::move(node.mapped());
        carry_over(after, before);
        writes.push_back({before, std::move(after)});
    }
    for (auto& [id, e] : found)
        writes.push_back({std::nullopt, std::move(e)});
    for (auto& write : writes)
        if (!is_changed_by_sync(write)) write.to.updated_at = write.from->updated_at;
    std::ranges::sort(writes, {}, [](EntitlementChange const& write) { return write.to.id; });
    return writes;
}

} // namespace billing
