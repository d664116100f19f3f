#pragma once

#include "audit/audit.hpp"
#include "auth/api_key_handlers.hpp"
#include "core/joined.hpp"
#include "http/router.hpp"
#include "outbound_webhooks/webhook_handlers.hpp"
#include "tenancy/tenant_handlers.hpp"
#include "user_data/user_handlers.hpp"

#include <boost/asio/awaitable.hpp>

#include <array>
#include <utility>

/// The routes that services share, in groups that a service's table lists next to its own:
///
///     inline constexpr auto routes = core::joined(
///         own_routes, service::webhook_routes<Deps>, service::key_routes<Deps>(core::Access::managers),
///         ...);
///
/// Each handler uses the member of `Deps` for its library.
namespace service {

namespace asio = boost::asio;

/// The route `GET /v1/audit`, which reads the audit log from `Deps::db`.
template <class Deps>
inline constexpr auto audit_routes = std::to_array<http::Route<Deps>>({
    {http::Method::get, "/v1/audit", core::Access::staff,
        [](http::Request const& req, Deps& deps) { return audit::list_audit(req, deps.db); }},
});

/// Runs before the handler of a shared route, and throws if the caller may not continue.
template <class Deps> using Check = asio::awaitable<void> (*)(http::Request const& req, Deps& deps);

/// `response` after `check`, if there is one.
template <class Deps, Check<Deps> check>
asio::awaitable<http::Response> checked(
    http::Request const& req, Deps& deps, asio::awaitable<http::Response> response)
{
    if constexpr (check != nullptr) co_await check(req, deps);
    co_return co_await std::move(response);
}

/// Calls a handler of webhooks with `Deps::webhooks`.
template <class Deps, auto handler, Check<Deps> check>
constexpr auto of_webhooks = [](http::Request const& req, Deps& deps) {
    return checked<Deps, check>(req, deps, handler(req, deps.webhooks));
};

/// The routes of a scope's webhooks and their deliveries.
template <class Deps, Check<Deps> check = nullptr>
inline constexpr auto webhook_routes = [] {
    using enum http::Method;
    constexpr auto staff = core::Access::staff;
    return std::to_array<http::Route<Deps>>({
        {post, "/v1/webhooks", staff, of_webhooks<Deps, outbound_webhooks::create_webhook, check>,
            http::idempotent},
        {get, "/v1/webhooks", staff, of_webhooks<Deps, outbound_webhooks::list_webhooks, check>},
        {get, "/v1/webhooks/{webhookId}", staff, of_webhooks<Deps, outbound_webhooks::get_webhook, check>},
        {patch, "/v1/webhooks/{webhookId}", staff,
            of_webhooks<Deps, outbound_webhooks::update_webhook, check>},
        {del, "/v1/webhooks/{webhookId}", staff, of_webhooks<Deps, outbound_webhooks::delete_webhook, check>},
        {post, "/v1/webhooks/{webhookId}/rotate-secret", staff,
            of_webhooks<Deps, outbound_webhooks::rotate_webhook_secret, check>},
        {get, "/v1/webhooks/{webhookId}/deliveries", staff,
            of_webhooks<Deps, outbound_webhooks::list_deliveries, check>},
        {get, "/v1/webhooks/{webhookId}/deliveries/{deliveryId}", staff,
            of_webhooks<Deps, outbound_webhooks::get_delivery, check>},
        {post, "/v1/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver", staff,
            of_webhooks<Deps, outbound_webhooks::redeliver, check>},
        {post, "/v1/webhooks/{webhookId}/test", staff,
            of_webhooks<Deps, outbound_webhooks::test_webhook, check>},
    });
}();

/// Calls a handler of keys with `Deps::keys`.
template <class Deps, auto handler, Check<Deps> check>
constexpr auto of_keys = [](http::Request const& req, Deps& deps) {
    return checked<Deps, check>(req, deps, handler(req, deps.keys));
};

/// Rotates the keys of one kind. `kind` is its index among the kinds of keys.
template <class Deps, std::size_t kind = 0, Check<Deps> check = nullptr>
constexpr auto rotate_key = [](http::Request const& req, Deps& deps) {
    return checked<Deps, check>(req, deps, auth::rotate_key(req, deps.keys, kind));
};

/// The routes of a scope's API keys. Callers with access `who` may list, create, rotate and revoke them. A
/// service with a second kind of keys adds its own route that rotates these keys: `rotate_key<Deps, 1>`.
template <class Deps, Check<Deps> check = nullptr>
constexpr std::array<http::Route<Deps>, 4> key_routes(core::Access who)
{
    using enum http::Method;
    return {{
        {post, "/v1/keys", who, of_keys<Deps, auth::mint_key, check>},
        {get, "/v1/keys", who, of_keys<Deps, auth::list_keys, check>},
        {post, "/v1/keys/{environment}/rotate", who, rotate_key<Deps, 0, check>},
        {del, "/v1/keys/{prefix}", who, of_keys<Deps, auth::revoke_key, check>},
    }};
}

/// Calls a handler of user data with `Deps::users`.
template <class Deps, auto handler>
constexpr auto of_users = [](http::Request const& req, Deps& deps) { return handler(req, deps.users); };

/// The routes that erase and export the data of one user.
template <class Deps>
inline constexpr auto user_routes = [] {
    using core::Access;
    using enum http::Method;
    constexpr http::RouteOptions expensive{.is_expensive = [](http::Request const&) { return true; }};
    return std::to_array<http::Route<Deps>>({
        {del, "/v1/users/{userId}", Access::staff, of_users<Deps, user_data::erase_user>, expensive},
        {get, "/v1/users/{userId}/export", Access::key_or_user, of_users<Deps, user_data::export_user>,
            expensive},
        {post, "/v1/erasures", Access::erasure, of_users<Deps, user_data::receive_erasure>, expensive},
    });
}();

/// Calls a handler of tenants with `Deps::tenants`.
template <class Deps, auto handler>
constexpr auto of_tenants = [](http::Request const& req, Deps& deps) { return handler(req, deps.tenants); };

/// The routes with which the operator administers tenants.
template <class Deps>
inline constexpr auto tenant_routes = [] {
    using enum http::Method;
    using http::tenantless;
    constexpr auto master = core::Access::master;
    return std::to_array<http::Route<Deps>>({
        {put, "/v1/admin/tenants/{slug}", master, of_tenants<Deps, tenancy::put_tenant>, tenantless},
        {get, "/v1/admin/tenants", master, of_tenants<Deps, tenancy::list_tenants>, tenantless},
        {get, "/v1/admin/tenants/{slug}", master, of_tenants<Deps, tenancy::get_tenant>, tenantless},
        {del, "/v1/admin/tenants/{slug}", master, of_tenants<Deps, tenancy::delete_tenant>, tenantless},
    });
}();

} // namespace service
