#pragma once

#include "api/broadcasts.hpp"
#include "api/devices.hpp"
#include "api/domains.hpp"
#include "api/notifications.hpp"
#include "api/platforms.hpp"
#include "api/push_test.hpp"
#include "api/receipts.hpp"
#include "api/send.hpp"
#include "api/settings.hpp"
#include "api/sms_status.hpp"
#include "api/suppressions.hpp"
#include "api/templates.hpp"
#include "audit/audit.hpp"
#include "http/router.hpp"

namespace notify {

/// What the libraries and other parts serve, with the part of Deps each works on.
template <auto handler>
constexpr auto keys = [](http::Request const& req, Deps& deps) { return handler(req, deps.keys); };
template <auto handler>
constexpr auto tenants = [](http::Request const& req, Deps& deps) { return handler(req, deps.tenants); };
template <auto handler>
constexpr auto attachments =
    [](http::Request const& req, Deps& deps) { return handler(req, deps.attachments); };
template <auto handler>
constexpr auto hooks = [](http::Request const& req, Deps& deps) { return handler(req, deps.webhooks); };
template <auto handler>
constexpr auto database = [](http::Request const& req, Deps& deps) { return handler(req, deps.db); };
template <auto handler>
constexpr auto domain = [](http::Request const& req, Deps& deps) { return handler(req, deps.domains); };
/// Rotates keys of a kind, by its place among the kinds of keys.
template <std::size_t kind>
constexpr auto rotate_keys =
    [](http::Request const& req, Deps& deps) { return auth::rotate_key(req, deps.keys, kind); };
/// No user ever asks: attachments are staff's alone.
constexpr auto get_attachment = [](http::Request const& req, Deps& deps) {
    return deps.attachments.show(req, {});
};

inline constexpr http::RouteOptions send_options{.idempotent = true, .body_limit = 15 << 20};
inline constexpr http::RouteOptions upload{.tenantless = true, .streams_body = true};

/// The API at a glance: method, path, who may call it, what does it.
inline constexpr auto routes = [] {
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

        {post, "/v1/attachments/presign", Access::staff, attachments<blobs::presign>, idempotent},
        {get, "/v1/attachments/{attachmentId}", Access::staff, get_attachment},
        {put, "/uploads/{token}", Access::anonymous, attachments<blobs::put_upload>, upload},
        {get, "/downloads/{token}", Access::anonymous, attachments<blobs::get_download>, tenantless},

        {post, "/v1/templates", Access::staff, create_template, idempotent},
        {get, "/v1/templates", Access::staff, list_templates},
        {get, "/v1/templates/{templateId}", Access::staff, get_template},
        {patch, "/v1/templates/{templateId}", Access::staff, update_template},
        {del, "/v1/templates/{templateId}", Access::staff, delete_template},
        {post, "/v1/templates/{templateId}/preview", Access::staff, preview_template},

        {post, "/v1/devices", device_keys, register_device, idempotent},
        {get, "/v1/devices", Access::staff, list_devices},
        {del, "/v1/devices/{token}", device_keys, unregister_device},
        {post, "/v1/devices/{token}/test", Access::staff, test_device},

        {put, "/v1/platforms/{kind}", Access::staff, put_platform},
        {get, "/v1/platforms", Access::staff, list_platforms},
        {del, "/v1/platforms/{kind}", Access::staff, delete_platform},

        {post, "/v1/domains/verify", Access::staff, domain<verify_domain>},
        {get, "/v1/domains/status", Access::staff, domain<get_domain_status>},
        {del, "/v1/domains", Access::staff, domain<delete_domain>},

        {get, "/v1/suppressions", Access::staff, list_suppressions},
        {del, "/v1/suppressions/{address}", Access::staff, delete_suppression},
        {post, "/webhooks/sms/twilio", Access::anonymous, receive_sms_status, tenantless},

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
        {post, "/v1/keys/{environment}/rotate", Access::managers, rotate_keys<0>},
        {post, "/v1/keys/{environment}/rotate-publishable", Access::managers, rotate_keys<1>},
        {del, "/v1/keys/{prefix}", Access::managers, keys<auth::revoke_key>},

        {put, "/v1/admin/tenants/{slug}", Access::master, tenants<tenancy::put_tenant>, tenantless},
        {get, "/v1/admin/tenants", Access::master, tenants<tenancy::list_tenants>, tenantless},
        {get, "/v1/admin/tenants/{slug}", Access::master, tenants<tenancy::get_tenant>, tenantless},
        {del, "/v1/admin/tenants/{slug}", Access::master, tenants<tenancy::delete_tenant>, tenantless},
    });
}();

} // namespace notify
