#pragma once

#include "core/clock.hpp"
#include "http/message.hpp"
#include "pg/database.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>

namespace tenancy {

namespace asio = boost::asio;

class Eraser;

/// What the administration of tenants works with. The references outlive it.
struct Tenants {
    pg::Database& database;
    core::Clock const& clock;
    Eraser& eraser;
    std::chrono::hours grace{7 * 24}; ///< from DELETE to erasure
};

/// `PUT /v1/admin/tenants/{slug} {displayName, status?, limits?}`: 201 with the tenant when it is new, else
/// 200. `status` and `limits` that are absent stay as they are; a tenant that awaits erasure is revived.
///
/// A tenant: `{slug, displayName, status, limits, createdAt, updatedAt, eraseAfter}`.
asio::awaitable<http::Response> put_tenant(http::Request const& request, Tenants& tenants);

/// `GET /v1/admin/tenants[?limit=][&cursor=]`: `{items: [tenant], cursor}`, newest first.
asio::awaitable<http::Response> list_tenants(http::Request const& request, Tenants& tenants);

/// `GET /v1/admin/tenants/{slug}`: the tenant; 404 TENANT_NOT_FOUND.
asio::awaitable<http::Response> get_tenant(http::Request const& request, Tenants& tenants);

/// `DELETE /v1/admin/tenants/{slug}[?purge=now]`: 200 `{"deleted":true}`. Suspends at once and erases after
/// the grace period. With `purge=now` erases at once, and answers 200 when nothing is left. 503 with
/// Retry-After: a very large tenant has something left when the request's time is over. That goes in the
/// background, while the tenant is suspended; the same request again goes on with it and says when it is done
/// (404 TENANT_NOT_FOUND: it was done in between).
asio::awaitable<http::Response> delete_tenant(http::Request const& request, Tenants& tenants);

} // namespace tenancy
