#include "ingest/stored_rows.hpp"

#include "storage/entitlements.hpp"
#include "storage/event_archive.hpp"
#include "storage/event_history.hpp"
#include "storage/event_users.hpp"
#include "storage/payment_references.hpp"
#include "storage/products.hpp"
#include "storage/subscriptions.hpp"

namespace billing::ingest {

std::vector<Entitlement> StoredRows::entitlements(std::span<core::Uuid const> ids)
{
    return entitlements::by_ids(tx_, scope_id_, ids);
}

std::vector<Entitlement> StoredRows::subscribed_entitlements(core::UserId const& user_id)
{
    return entitlements::subscribed(tx_, scope_id_, user_id);
}

void StoredRows::write(Entitlement& entitlement)
{
    entitlements::upsert(tx_, scope_id_, entitlement, is_active(entitlement.access, settings_, now_));
}

void StoredRows::remove(core::Uuid entitlement_id)
{
    entitlements::remove(tx_, scope_id_, entitlement_id);
}

std::optional<Subscription> StoredRows::subscription(std::string const& id)
{
    return subscriptions::find(tx_, scope_id_, id);
}

std::vector<Subscription> StoredRows::subscriptions_of(core::UserId const& user_id)
{
    return subscriptions::about_user(tx_, scope_id_, user_id);
}

void StoredRows::write(Subscription const& subscription)
{
    subscriptions::upsert(tx_, scope_id_, subscription);
}

std::vector<Event> StoredRows::history_of(core::UserId const& user_id)
{
    return event_history::of_user(tx_, scope_id_, user_id);
}

std::vector<Event> StoredRows::history_of_subscription(std::string const& id)
{
    return event_history::of_subscription(tx_, scope_id_, id);
}

bool StoredRows::is_named(core::UserId const& user_id)
{
    return event_users::is_named(tx_, scope_id_, user_id);
}

void StoredRows::mark_applied(std::string const& subscription_id, core::UserId const& user_id)
{
    event_archive::mark_applied(tx_, scope_id_, subscription_id, user_id);
}

std::optional<CheckoutProduct> StoredRows::product(std::string const& id)
{
    auto const found = products::find(tx_, core::tenant_of(scope_id_), id);
    if (!found) return std::nullopt;
    return CheckoutProduct{found->provider_product_id, found->kind == products::Kind::subscription};
}

std::vector<PaymentNode> StoredRows::nodes(std::span<std::string const> ids)
{
    return payment_references::find(tx_, scope_id_, ids);
}

void StoredRows::mark_applied(PaymentNode const& reversal, core::UserId const& user_id)
{
    event_archive::mark_reversal_applied(tx_, scope_id_, reversal, user_id);
}

} // namespace billing::ingest
