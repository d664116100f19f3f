#include "domain/entitlement_view.hpp"

#include "domain/text_or_null.hpp"

#include <algorithm>
#include <string_view>

namespace billing {

namespace {

std::optional<std::string_view> period_type_of(Entitlement const& e)
{
    return e.period_type ? std::optional(to_string(*e.period_type)) : std::nullopt;
}

void write_purchase(core::JsonWriter& w, Entitlement const& e)
{
    w.member("purchasedAt", e.purchased_at)
        .member("expiresAt", e.expires_at)
        .member("graceUntil", e.grace_until)
        .member("periodType", period_type_of(e))
        .member("trialEndsAt", e.trial_ends_at)
        .member("willRenew", e.will_renew)
        .member("store", text_or_null(e.store))
        .member("quantity", e.quantity)
        .key("price");
    write_price(w, e.price);
    w.member("transactionId", text_or_null(e.last_transaction_id))
        .member("cancelReason", text_or_null(e.cancel_reason))
        .member("reason", e.reason);
}

} // namespace

void write_entitlement(core::JsonWriter& w, EntitlementView const& view, core::Environment environment,
    AccessSettings const& settings, core::Time now)
{
    w.begin_object();
    write_entitlement_members(w, view, environment, settings, now);
    w.end_object();
}

void write_entitlement_members(core::JsonWriter& w, EntitlementView const& view,
    core::Environment environment, AccessSettings const& settings, core::Time now)
{
    Entitlement const& e = view.entitlement;
    auto const* product = view.product ? &*view.product : nullptr;
    w.member("entitlementId", e.id)
        .member("userId", e.user_id)
        .member("source", to_string(e.source))
        .member("productId", product != nullptr ? std::optional(product->id) : std::nullopt)
        .member("providerProductId", e.provider_product_id)
        .member("environment", core::to_string(environment))
        .member("status", to_string(shown_status(e.status, settings)))
        .member("isActive", is_active(e.access, settings, now))
        .member("accessUntil", shown_end(access_until(e.access, settings)))
        .member("features", product != nullptr ? product->features : std::vector<std::string>())
        .key("grants")
        .raw(product != nullptr ? std::string_view(product->grants_json) : "[]");
    write_purchase(w, e);
    w.member("lastEventType", e.last_event_type)
        .member("lastEventAt", e.last.at)
        .member("createdAt", e.created_at)
        .member("updatedAt", e.updated_at);
}

void write_price(core::JsonWriter& w, std::optional<Price> const& price)
{
    if (!price) {
        w.null();
        return;
    }
    w.begin_object().member("amount", price->amount).member("currency", price->currency).end_object();
}

std::optional<core::Time> shown_end(std::optional<core::Time> end) noexcept
{
    return end ? std::optional(std::min(*end, core::max_time)) : std::nullopt;
}

} // namespace billing
