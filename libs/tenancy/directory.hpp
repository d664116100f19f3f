#pragma once

#include "pg/database.hpp"
#include "tenancy/tenant.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace tenancy {

namespace asio = boost::asio;

struct DirectoryOptions {
    std::size_t capacity = 10'000;        ///< tenants remembered
    std::size_t absent_capacity = 10'000; ///< slugs that name nobody remembered, apart from the tenants
    std::chrono::milliseconds ttl{600'000};
    std::chrono::milliseconds absent_ttl{60'000};
    /// Whether settings belong to the tenant: those of its production scope are those of its sandbox, too.
    bool shared_settings = false;
};

/// Finds tenants by slug or id. Answers are remembered, and believed only while `live()` says that changes
/// are heard of; otherwise each call looks the tenant up. Look-ups of many callers are one statement, so
/// neither the number of tenants nor a burst of unknown slugs matters. Safe from any thread.
class Directory {
public:
    /// `live`: whether the listener hears notifications right now (pg::Listener::live); called on every
    /// search, cheap and safe from any thread. `database` outlives this object.
    Directory(pg::Database& database, std::function<bool()> live, DirectoryOptions options = {});
    ~Directory();
    Directory(Directory const&) = delete;
    Directory& operator=(Directory const&) = delete;

    /// The tenant, suspended or not; null when nobody has that slug. Throws UNAVAILABLE when the database is
    /// away.
    asio::awaitable<std::shared_ptr<Tenant const>> find(std::string_view slug);

    /// The same by id (`Scope::tenant_id()` of an API key's scope).
    asio::awaitable<std::shared_ptr<Tenant const>> find_by_id(std::int64_t tenant_id);

    /// The tenant of that slug if it is remembered: costs no look-up and no suspension.
    std::shared_ptr<Tenant const> remembered(std::string_view slug) const;

    /// A notification on `tenancy::channel`: the slug of a tenant that changed. For the listener's handlers.
    void on_notify(std::string const& payload);

    /// Notifications may have been missed: forgets everything. For the listener's `on_gap`.
    void on_gap();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace tenancy
