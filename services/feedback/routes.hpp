#pragma once

#include "api/attachments.hpp"
#include "api/feedbacks.hpp"
#include "api/query.hpp"
#include "api/replies.hpp"
#include "api/reports.hpp"
#include "api/settings.hpp"
#include "audit/audit.hpp"
#include "http/router.hpp"

namespace feedback {

/// What the libraries serve, with the part of Deps each works on.
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
constexpr auto rotate_key = [](http::Request const& req, Deps& deps) {
    return auth::rotate_key(req, deps.keys);
};

inline constexpr http::RouteOptions heavy{.heavy = [](http::Request const&) { return true; }};
inline constexpr http::RouteOptions heavy_search{.heavy = searches};
inline constexpr http::RouteOptions upload{.tenantless = true, .streams_body = true};

/// The API at a glance: method, path, who may call it, what does it.
inline constexpr auto routes = [] {
    using core::Access;
    using enum http::Method;
    using http::idempotent, http::tenantless;
    return std::to_array<http::Route<Deps>>({
        {post, "/v1/feedbacks", Access::key_or_user, create_feedback, idempotent},
        {get, "/v1/feedbacks", Access::key_or_user, list_feedbacks, heavy_search},
        {get, "/v1/feedbacks/stats", Access::staff, get_stats, heavy},
        {get, "/v1/feedbacks/export", Access::staff, export_feedbacks, heavy},
        {get, "/v1/feedbacks/{feedbackId}", Access::key_or_user, get_feedback},
        {patch, "/v1/feedbacks/{feedbackId}", Access::key_or_user, update_feedback},
        {del, "/v1/feedbacks/{feedbackId}", Access::key_or_user, delete_feedback},
        {post, "/v1/feedbacks/{feedbackId}/replies", Access::key_or_user, post_reply, idempotent},
        {get, "/v1/feedbacks/{feedbackId}/replies", Access::key_or_user, list_replies},
        {get, "/v1/feedbacks/{feedbackId}/history", Access::key_or_user, list_history},

        {post, "/v1/attachments/presign", Access::key_or_user, attachments<blobs::presign>, idempotent},
        {get, "/v1/attachments/{attachmentId}", Access::key_or_user, get_attachment},
        {put, "/uploads/{token}", Access::anonymous, attachments<blobs::put_upload>, upload},
        {get, "/downloads/{token}", Access::anonymous, attachments<blobs::get_download>, tenantless},

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

        {post, "/v1/keys", Access::master, keys<auth::mint_key>},
        {get, "/v1/keys", Access::master, keys<auth::list_keys>},
        {post, "/v1/keys/{environment}/rotate", Access::master, rotate_key},
        {del, "/v1/keys/{prefix}", Access::master, keys<auth::revoke_key>},

        {put, "/v1/admin/tenants/{slug}", Access::master, tenants<tenancy::put_tenant>, tenantless},
        {get, "/v1/admin/tenants", Access::master, tenants<tenancy::list_tenants>, tenantless},
        {get, "/v1/admin/tenants/{slug}", Access::master, tenants<tenancy::get_tenant>, tenantless},
        {del, "/v1/admin/tenants/{slug}", Access::master, tenants<tenancy::delete_tenant>, tenantless},
    });
}();

} // namespace feedback
