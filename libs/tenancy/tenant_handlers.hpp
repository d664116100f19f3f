#pragma once

#include "core/clock.hpp"
#include "http/message.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>

namespace pg {
class Database;
}

namespace tenancy {

namespace asio = boost::asio;

class Eraser;

/// The dependencies of the handlers of `/v1/admin/tenants`, which must outlive them.
struct TenantAdmin {
    pg::Database& database;
    core::Clock const& clock;
    Eraser& eraser;
    std::chrono::hours grace{7 * 24}; ///< time from the DELETE to the erasure
};

/// `PUT /v1/admin/tenants/{slug} {displayName, status?, limits?}`: 201 with a new tenant, 200 with an
/// existing one. Absent `status` and `limits` stay unchanged. If the tenant's erasure is planned but has not
/// begun, the erasure is cancelled, and an absent `status` then means `active`. 409 CONFLICT if the erasure
/// has begun.
///
/// A tenant: `{slug, displayName, status, limits, createdAt, updatedAt, eraseAfter}`.
asio::awaitable<http::Response> put_tenant(http::Request const& request, TenantAdmin& admin);

/// `GET /v1/admin/tenants[?limit=][&cursor=]`: `{items: [tenant], cursor}`, newest first.
asio::awaitable<http::Response> list_tenants(http::Request const& request, TenantAdmin& admin);

/// `GET /v1/admin/tenants/{slug}`: the tenant; 404 TENANT_NOT_FOUND.
asio::awaitable<http::Response> get_tenant(http::Request const& request, TenantAdmin& admin);

/// `DELETE /v1/admin/tenants/{slug}[?purge=now]`: 200 `{"deleted":true}`. Suspends the tenant at once, and
/// erases it after the grace period. With `purge=now`, erases the tenant at once, and responds with 200 when
/// none of its data is left. 503 with Retry-After: the tenant is too large to be erased within the time of
/// the request. The erasure then continues in the background, and the tenant stays suspended. Repeat the
/// request until it returns 200, or 404 TENANT_NOT_FOUND if the erasure was completed between two requests.
asio::awaitable<http::Response> delete_tenant(http::Request const& request, TenantAdmin& admin);

} // namespace tenancy
