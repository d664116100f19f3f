#pragma once

#include "api/entitlements.hpp"
#include "api/events.hpp"
#include "api/features.hpp"
#include "api/grants.hpp"
#include "api/products.hpp"
#include "api/settings.hpp"
#include "api/sync.hpp"
#include "api/webhooks.hpp"
#include "audit/audit.hpp"
#include "http/router.hpp"

namespace billing {

/// What the libraries serve, with the part of Deps each works on.
template <auto handler>
constexpr auto keys = [](http::Request const& req, Deps& deps) { return handler(req, deps.keys); };
template <auto handler>
constexpr auto tenants = [](http::Request const& req, Deps& deps) { return handler(req, deps.tenants); };
template <auto handler>
constexpr auto hooks = [](http::Request const& req, Deps& deps) { return handler(req, deps.webhooks); };
template <auto handler>
constexpr auto database = [](http::Request const& req, Deps& deps) { return handler(req, deps.db); };
constexpr auto rotate_key = [](http::Request const& req, Deps& deps) {
    return auth::rotate_key(req, deps.keys);
};

/// A list of events of one type or result walks the archive along its time.
inline constexpr http::RouteOptions heavy_filter{.heavy = [](http::Request const& req) {
    return req.query.find("type=") != std::string_view::npos ||
           req.query.find("result=") != std::string_view::npos;
}};

/// The API at a glance: method, path, who may call it, what does it.
inline constexpr auto routes = [] {
    using core::Access;
    using enum http::Method;
    using http::idempotent, http::tenantless;
    return std::to_array<http::Route<Deps>>({
        {post, "/webhooks/purchases", Access::anonymous, receive_purchase_event},
        {post, "/webhooks/payments", Access::anonymous, receive_payment_event},

        {get, "/v1/entitlements", Access::staff, list_entitlements},
        {get, "/v1/users/{userId}/entitlements", Access::staff, get_user_entitlements},
        {get, "/v1/users/{userId}/features/{feature}", Access::staff, check_feature},
        {post, "/v1/users/{userId}/grants", Access::staff, create_grant, idempotent},
        {del, "/v1/users/{userId}/grants/{entitlementId}", Access::staff, delete_grant},
        {post, "/v1/sync/{userId}", Access::staff, sync_user},

        {post, "/v1/products", Access::staff, create_product, idempotent},
        {get, "/v1/products", Access::staff, list_products},
        {get, "/v1/products/{productId}", Access::staff, get_product},
        {patch, "/v1/products/{productId}", Access::staff, update_product},
        {del, "/v1/products/{productId}", Access::staff, delete_product},

        {get, "/v1/events", Access::staff, list_events, heavy_filter},
        {post, "/v1/events/{eventId}/replay", Access::staff, replay_event},

        {get, "/v1/settings", Access::staff, get_settings},
        {patch, "/v1/settings", Access::staff, update_settings},
        {get, "/v1/audit", Access::staff, database<audit::list_audit>},

        {post, "/v1/webhooks", Access::staff, hooks<webhooks::create_webhook>, idempotent},
        {get, "/v1/webhooks", Access::staff, hooks<webhooks::list_webhooks>},
        {get, "/v1/webhooks/{webhookId}", Access::staff, hooks<webhooks::get_webhook>},
        {patch, "/v1/webhooks/{webhookId}", Access::staff, hooks<webhooks::update_webhook>},
        {del, "/v1/webhooks/{webhookId}", Access::staff, hooks<webhooks::delete_webhook>},
        {post, "/v1/webhooks/{webhookId}/rotate-secret", Access::staff,
            hooks<webhooks::rotate_webhook_secret>},
        {get, "/v1/webhooks/{webhookId}/deliveries", Access::staff, hooks<webhooks::list_deliveries>},
        {post, "/v1/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver", Access::staff,
            hooks<webhooks::redeliver>},

        {post, "/v1/keys", Access::managers, keys<auth::mint_key>},
        {get, "/v1/keys", Access::managers, keys<auth::list_keys>},
        {post, "/v1/keys/{environment}/rotate", Access::managers, rotate_key},
        {del, "/v1/keys/{prefix}", Access::managers, keys<auth::revoke_key>},

        {put, "/v1/admin/tenants/{slug}", Access::master, tenants<tenancy::put_tenant>, tenantless},
        {get, "/v1/admin/tenants", Access::master, tenants<tenancy::list_tenants>, tenantless},
        {get, "/v1/admin/tenants/{slug}", Access::master, tenants<tenancy::get_tenant>, tenantless},
        {del, "/v1/admin/tenants/{slug}", Access::master, tenants<tenancy::delete_tenant>, tenantless},
    });
}();

} // namespace billing
