#include "domain/entitlement_view.hpp"

namespace billing {

void write_entitlement(
    core::JsonWriter& w, EntitlementView const& view, core::Environment environment, core::Time now)
{
    w.begin_object();
    write_entitlement_members(w, view, environment, now);
    w.end_object();
}

void write_entitlement_members(
    core::JsonWriter& w, EntitlementView const& view, core::Environment environment, core::Time now)
{
    Entitlement const& e = view.entitlement;
    auto const* product = view.product ? &*view.product : nullptr;
    w.member("entitlementId", e.id)
        .member("userId", e.user_id)
        .member("source", to_string(e.source))
        .member("productId", product != nullptr ? std::optional(product->id) : std::nullopt)
        .member("providerProductId", e.provider_product_id)
        .member("environment", core::to_string(environment))
        .member("status", to_string(e.status))
        .member("isActive", is_active(e, now))
        .member("features", product != nullptr ? product->features : std::vector<std::string>())
        .key("grants")
        .raw(product != nullptr ? std::string_view(product->grants_json) : "[]")
        .member("purchasedAt", e.purchased_at)
        .member("expiresAt", e.expires_at)
        .member("willRenew", e.will_renew)
        .member("reason", e.reason)
        .member("lastEventType", e.last_event_type)
        .member("lastEventAt", e.last.at)
        .member("createdAt", e.created_at)
        .member("updatedAt", e.updated_at);
}

} // namespace billing
