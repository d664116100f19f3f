#pragma once

#include "api/attachments.hpp"
#include "api/export.hpp"
#include "api/feedbacks.hpp"
#include "api/history.hpp"
#include "api/list_filter.hpp"
#include "api/replies.hpp"
#include "api/settings.hpp"
#include "api/stats.hpp"
#include "blobs/routes.hpp"
#include "docs/routes.hpp"
#include "service/routes.hpp"

namespace feedback {

inline constexpr http::RouteOptions expensive{.is_expensive = [](http::Request const&) { return true; }};
inline constexpr http::RouteOptions expensive_search{.is_expensive = searches};

/// The service's own routes: method, path, allowed callers, handler.
inline constexpr auto own_routes = [] {
    using core::Access;
    using enum http::Method;
    using http::idempotent;
    return std::to_array<http::Route<Deps>>({
        {post, "/v1/feedbacks", Access::key_or_user, create_feedback, idempotent},
        {get, "/v1/feedbacks", Access::key_or_user, list_feedbacks, expensive_search},
        {get, "/v1/feedbacks/stats", Access::staff, get_stats, expensive},
        {get, "/v1/feedbacks/export", Access::staff, export_feedbacks, expensive},
        {get, "/v1/feedbacks/{feedbackId}", Access::key_or_user, get_feedback},
        {patch, "/v1/feedbacks/{feedbackId}", Access::key_or_user, update_feedback},
        {del, "/v1/feedbacks/{feedbackId}", Access::key_or_user, delete_feedback},
        {post, "/v1/feedbacks/{feedbackId}/replies", Access::key_or_user, post_reply, idempotent},
        {get, "/v1/feedbacks/{feedbackId}/replies", Access::key_or_user, list_replies},
        {get, "/v1/feedbacks/{feedbackId}/history", Access::key_or_user, list_history},

        {get, "/v1/settings", Access::staff, get_settings},
        {patch, "/v1/settings", Access::staff, update_settings},
    });
}();

/// The API reference, generated from the contract at build time.
docs::Reference const& reference();

/// All routes of the service: its own routes, and the routes that all services share.
inline constexpr auto routes = core::joined(own_routes,
    blobs::attachment_routes<Deps>(core::Access::key_or_user, get_attachment), service::audit_routes<Deps>,
    service::webhook_routes<Deps>, service::key_routes<Deps>(core::Access::master),
    service::user_routes<Deps>, service::tenant_routes<Deps>, docs::routes<Deps, reference>);

} // namespace feedback
