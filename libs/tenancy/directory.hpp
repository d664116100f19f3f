#pragma once

#include "core/error.hpp"
#include "core/scope.hpp"
#include "tenancy/tenant.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace pg {
class Database;
}

namespace tenancy {

namespace asio = boost::asio;

/// TENANT_NOT_FOUND: the slug in the host name or in the path is unknown.
core::Error not_found();

struct DirectoryOptions {
    std::size_t capacity = 10'000; ///< maximum number of cached tenants
    /// Maximum number of cached unknown slugs, separate from the tenants.
    std::size_t absent_capacity = 10'000;
    std::chrono::milliseconds ttl{600'000};
    std::chrono::milliseconds absent_ttl{60'000};
    /// If true, a tenant has one set of settings: the settings of its production scope also apply to its
    /// sandbox.
    bool shared_settings = false;
};

/// Finds tenants by slug or id. Results are cached. While `live()` returns false, no notifications of changes
/// arrive. The cache is then not used, and each call queries the database. Concurrent queries share one
/// statement, so many tenants or a burst of unknown slugs cause little load on the database. Thread-safe.
class Directory {
public:
    /// `live` returns whether the listener receives notifications now (pg::Listener::live). Each search calls
    /// `live`, so it must be cheap and thread-safe. `database` must outlive this object.
    Directory(pg::Database& database, std::function<bool()> live, DirectoryOptions options = {});
    ~Directory();
    Directory(Directory const&) = delete;
    Directory& operator=(Directory const&) = delete;

    /// Returns the tenant, also if it is suspended, or null if the slug is unknown. Throws UNAVAILABLE if the
    /// database is down.
    asio::awaitable<std::shared_ptr<Tenant const>> find(std::string_view slug);

    /// As `find`, but throws TENANT_NOT_FOUND if the slug is unknown.
    asio::awaitable<std::shared_ptr<Tenant const>> get(std::string_view slug);

    /// As `find`, by the tenant's id (`Scope::tenant_id()` of an API key's scope).
    asio::awaitable<std::shared_ptr<Tenant const>> find_by_id(core::TenantId tenant_id);

    /// Returns the tenant of that slug if it is cached, else null. Does not query the database and does not
    /// suspend the caller.
    std::shared_ptr<Tenant const> cached(std::string_view slug) const;

    /// Handles a notification on `tenancy::channel`. `payload` is the slug of a tenant that changed. Register
    /// it as the listener's handler of that channel.
    void on_notify(std::string const& payload);

    /// Clears the caches, because notifications may have been lost. Register it as the listener's `on_gap`.
    void on_gap();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace tenancy
