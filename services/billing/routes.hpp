#pragma once

#include "api/backfills.hpp"
#include "api/entitlements.hpp"
#include "api/events.hpp"
#include "api/features.hpp"
#include "api/grants.hpp"
#include "api/products.hpp"
#include "api/provider_webhooks.hpp"
#include "api/settings.hpp"
#include "api/statistics.hpp"
#include "api/subscribers.hpp"
#include "api/sync.hpp"
#include "docs/routes.hpp"
#include "service/routes.hpp"

namespace billing {

inline constexpr http::RouteOptions expensive_filter{.is_expensive = scans_archive};
inline constexpr http::RouteOptions history{.is_expensive = reads_history};
inline constexpr http::RouteOptions report{.is_expensive = is_report};
inline constexpr http::RouteOptions expensive_list{.is_expensive = scans_subscribers};
/// Products, settings and backfills belong to the tenant: both environments may read them, only production
/// may write them.
inline constexpr http::RouteOptions production_only{.production_only = true};
inline constexpr http::RouteOptions new_of_tenant{.idempotent = true, .production_only = true};

/// The providers' webhooks accept bodies of up to 1 MiB, because an invoice with many lines has several
/// hundred KB. The archive has the same limit. Events of a suspended tenant are archived, and applied when
/// the tenant resumes.
inline constexpr http::RouteOptions event_options{.body_limit = 1 << 20, .serves_suspended = true};

/// The routes that only this service has: method, path, permitted callers, handler.
inline constexpr auto own_routes = [] {
    using core::Access;
    using enum http::Method;
    using http::idempotent;
    return std::to_array<http::Route<Deps>>({
        {post, "/webhooks/purchases", Access::anonymous, receive_purchase_event, event_options},
        {post, "/webhooks/payments", Access::anonymous, receive_payment_event, event_options},

        {get, "/v1/me/entitlements", Access::any_user, get_my_entitlements, history},
        {get, "/v1/me/features/{feature}", Access::any_user, check_my_feature},
        {get, "/v1/entitlements", Access::staff, list_entitlements},
        {get, "/v1/users/{userId}/entitlements", Access::key_or_user, get_user_entitlements, history},
        {get, "/v1/users/{userId}/features/{feature}", Access::key_or_user, check_feature},
        {post, "/v1/users/{userId}/grants", Access::staff, create_grant, idempotent},
        {del, "/v1/users/{userId}/grants/{entitlementId}", Access::staff, delete_grant},

        {post, "/v1/sync/{userId}", Access::staff, sync_user},
        {post, "/v1/backfills", Access::staff, create_backfill, new_of_tenant},
        {get, "/v1/backfills/{backfillId}", Access::staff, get_backfill},

        {get, "/v1/subscribers", Access::staff, list_subscribers, expensive_list},
        {get, "/v1/stats", Access::staff, get_stats, report},

        {post, "/v1/products", Access::staff, create_product, new_of_tenant},
        {get, "/v1/products", Access::staff, list_products},
        {get, "/v1/products/{productId}", Access::staff, get_product},
        {patch, "/v1/products/{productId}", Access::staff, update_product, production_only},
        {del, "/v1/products/{productId}", Access::staff, delete_product, production_only},

        {get, "/v1/events", Access::staff, list_events, expensive_filter},
        {post, "/v1/events/{eventId}/replay", Access::staff, replay_event},

        {get, "/v1/settings", Access::staff, get_settings},
        {patch, "/v1/settings", Access::staff, update_settings, production_only},
    });
}();

/// The API reference, which the build generates from the OpenAPI contract.
docs::Reference const& reference();

/// All routes of the service: its own routes, and the routes that all services share.
inline constexpr auto routes = core::joined(own_routes, service::audit_routes<Deps>,
    service::webhook_routes<Deps>, service::key_routes<Deps>(core::Access::managers),
    service::user_routes<Deps>, service::tenant_routes<Deps>, docs::routes<Deps, reference>);

} // namespace billing
