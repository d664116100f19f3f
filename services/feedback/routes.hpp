#pragma once

#include "api/attachments.hpp"
#include "api/board.hpp"
#include "api/bulk.hpp"
#include "api/export.hpp"
#include "api/feedbacks.hpp"
#include "api/history.hpp"
#include "api/list_filter.hpp"
#include "api/logo.hpp"
#include "api/merge.hpp"
#include "api/replies.hpp"
#include "api/reply_changes.hpp"
#include "api/settings.hpp"
#include "api/similar.hpp"
#include "api/stats.hpp"
#include "api/unsubscribe.hpp"
#include "api/votes.hpp"
#include "blobs/routes.hpp"
#include "docs/routes.hpp"
#include "pages/routes.hpp"
#include "service/routes.hpp"

namespace feedback {

inline constexpr http::RouteOptions expensive{.is_expensive = [](http::Request const&) { return true; }};
inline constexpr http::RouteOptions expensive_search{.is_expensive = searches};

/// Readers of the board need no credential. If one is sent, it is checked.
inline constexpr auto reader = core::Access::anonymous | core::Access::key_or_user;
inline constexpr http::RouteOptions board_options{.is_expensive = searches, .limits_networks = true};

inline constexpr http::RouteOptions logo_options{
    .body_limit = max_logo_bytes, .is_expensive = [](http::Request const&) { return true; }};

/// Recipients of emails need no credential, also while the tenant is suspended.
inline constexpr http::RouteOptions unsubscribe_options{
    .serves_suspended = true, .limits_networks = true, .error_page = unsubscribe_error_page};

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
        {post, "/v1/feedbacks/bulk", Access::staff, update_feedbacks},
        {get, "/v1/feedbacks/similar", Access::key_or_user, list_similar, expensive},
        {get, "/v1/feedbacks/{feedbackId}", Access::key_or_user, get_feedback},
        {patch, "/v1/feedbacks/{feedbackId}", Access::key_or_user, update_feedback},
        {del, "/v1/feedbacks/{feedbackId}", Access::key_or_user, delete_feedback},
        {post, "/v1/feedbacks/{feedbackId}/replies", Access::key_or_user, post_reply, idempotent},
        {get, "/v1/feedbacks/{feedbackId}/replies", Access::key_or_user, list_replies},
        {patch, "/v1/feedbacks/{feedbackId}/replies/{replyId}", Access::key_or_user, update_reply},
        {del, "/v1/feedbacks/{feedbackId}/replies/{replyId}", Access::key_or_user, delete_reply},
        {get, "/v1/feedbacks/{feedbackId}/replies/{replyId}/history", Access::staff, list_reply_history},
        {get, "/v1/feedbacks/{feedbackId}/history", Access::key_or_user, list_history},
        {post, "/v1/feedbacks/{feedbackId}/merge", Access::staff, merge_feedback},
        {put, "/v1/feedbacks/{feedbackId}/vote", Access::any_user, vote},
        {del, "/v1/feedbacks/{feedbackId}/vote", Access::any_user, withdraw_vote},
        {get, "/v1/feedbacks/{feedbackId}/votes", Access::staff, list_votes},
        {put, "/v1/feedbacks/{feedbackId}/votes/{userId}", Access::key | Access::master, vote_for_user},
        {del, "/v1/feedbacks/{feedbackId}/votes/{userId}", Access::key | Access::master,
            withdraw_vote_of_user},

        {get, "/board/threads", reader, list_board_threads, board_options},
        {get, "/board/threads/{feedbackId}", reader, get_board_thread, board_options},

        {get, "/unsubscribe/{token}", Access::anonymous, get_unsubscribe, unsubscribe_options},
        {post, "/unsubscribe/{token}", Access::anonymous, post_unsubscribe, unsubscribe_options},
        {get, "/unsubscribe.css", Access::anonymous, get_unsubscribe_style, http::tenantless},

        {get, "/v1/settings", Access::staff, get_settings},
        {patch, "/v1/settings", Access::staff, update_settings},
        {put, "/v1/settings/logo", Access::staff, put_logo, logo_options},
        {del, "/v1/settings/logo", Access::staff, delete_logo},
    });
}();

/// The API reference, generated from the contract at build time.
docs::Reference const& reference();

/// All routes of the service: its own routes, and the routes that all services share.
inline constexpr auto routes = core::joined(own_routes, pages::routes,
    blobs::attachment_routes<Deps>(core::Access::key_or_user, get_attachment), service::audit_routes<Deps>,
    service::webhook_routes<Deps>, service::key_routes<Deps>(core::Access::master),
    service::user_routes<Deps>, service::tenant_routes<Deps>, docs::routes<Deps, reference>);

} // namespace feedback
