#pragma once

#include "api/broadcasts.hpp"
#include "api/devices.hpp"
#include "api/email_domains.hpp"
#include "api/notifications.hpp"
#include "api/platforms.hpp"
#include "api/push_test.hpp"
#include "api/receipts.hpp"
#include "api/send.hpp"
#include "api/settings.hpp"
#include "api/sms_status.hpp"
#include "api/suppressions.hpp"
#include "api/templates.hpp"
#include "blobs/routes.hpp"
#include "docs/routes.hpp"
#include "service/routes.hpp"

namespace notify {

/// Permits every read of an attachment, because the route already permits only staff and API keys.
constexpr auto get_attachment = [](http::Request const& req, Deps& deps) {
    return deps.attachments.get(req, {});
};

inline constexpr http::RouteOptions send_options{.idempotent = true, .body_limit = 15 << 20};

/// Requests with the publishable key have the body limit of anonymous requests, because every copy of an app
/// contains this key.
inline constexpr http::RouteOptions device_options{
    .idempotent = true, .body_limit = http::anonymous_body_limit};

inline constexpr http::RouteOptions twilio_options{.tenantless = true, .body_limit = 64 << 10};

/// The routes that only this service has: method, path, permitted callers, handler.
inline constexpr auto own_routes = [] {
    using core::Access;
    using enum http::Method;
    using http::idempotent, http::tenantless;
    constexpr auto device_keys = Access::staff | Access::publishable_key;
    return std::to_array<http::Route<Deps>>({
        {post, "/v1/notifications/send", Access::staff, send_notification, send_options},
        {post, "/v1/notifications/ack", Access::staff, ack_notifications},
        {get, "/v1/notifications", Access::staff, list_notifications},
        {get, "/v1/notifications/{notificationId}", Access::staff, get_notification},
        {get, "/v1/notifications/{notificationId}/events", Access::staff, list_events},
        {post, "/v1/notifications/{notificationId}/opened", Access::staff, open_notification},
        {post, "/v1/notifications/{notificationId}/cancel", Access::staff, cancel_notification},
        {post, "/v1/notifications/{notificationId}/retry", Access::staff, retry_notification},

        {post, "/v1/notifications/broadcast", Access::staff, start_broadcast, idempotent},
        {get, "/v1/notifications/broadcasts", Access::staff, list_broadcasts},
        {get, "/v1/notifications/broadcasts/{broadcastId}", Access::staff, get_broadcast},
        {post, "/v1/notifications/broadcasts/{broadcastId}/cancel", Access::staff, cancel_broadcast},

        {post, "/v1/templates", Access::staff, create_template, idempotent},
        {get, "/v1/templates", Access::staff, list_templates},
        {get, "/v1/templates/{templateId}", Access::staff, get_template},
        {patch, "/v1/templates/{templateId}", Access::staff, update_template},
        {del, "/v1/templates/{templateId}", Access::staff, delete_template},
        {post, "/v1/templates/{templateId}/preview", Access::staff, preview_template},

        {post, "/v1/devices", device_keys, register_device, device_options},
        {get, "/v1/devices", Access::staff, list_devices},
        {del, "/v1/devices/{token}", device_keys, unregister_device},
        {post, "/v1/devices/{token}/test", Access::staff, test_device},

        {put, "/v1/platforms/{kind}", Access::staff, put_platform},
        {get, "/v1/platforms", Access::staff, list_platforms},
        {get, "/v1/platforms/webpush", Access::key_or_user, get_web_push_key},
        {del, "/v1/platforms/{kind}", Access::staff, delete_platform},

        {post, "/v1/domains/verify", Access::staff, verify_domain},
        {get, "/v1/domains/status", Access::staff, get_domain_status},
        {del, "/v1/domains", Access::staff, delete_domain},

        {get, "/v1/suppressions", Access::staff, list_suppressions},
        {del, "/v1/suppressions/{address}", Access::staff, delete_suppression},
        {post, "/webhooks/sms/twilio", Access::anonymous, receive_sms_status, twilio_options},

        {get, "/v1/settings", Access::staff, get_settings},
        {patch, "/v1/settings", Access::staff, update_settings},
        {post, "/v1/keys/{environment}/rotate-publishable", Access::managers, service::rotate_key<Deps, 1>},
    });
}();

/// The API reference. The build makes it from the OpenAPI contract.
docs::Reference const& reference();

/// All routes of the service: its own routes, and the routes that all services share.
inline constexpr auto routes = core::joined(own_routes,
    blobs::attachment_routes<Deps>(core::Access::staff, get_attachment), service::audit_routes<Deps>,
    service::webhook_routes<Deps>, service::key_routes<Deps>(core::Access::managers),
    service::user_routes<Deps>, service::tenant_routes<Deps>, docs::routes<Deps, reference>);

} // namespace notify
