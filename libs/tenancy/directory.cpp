#include "tenancy/directory.hpp"

#include "core/cache.hpp"
#include "pg/batcher.hpp"
#include "pg/row.hpp"
#include "pg/sql.hpp"
#include "tenancy/slug.hpp"
#include "tenancy/tenant_rows.hpp"

#include <map>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

namespace tenancy {

namespace {

using Found = std::shared_ptr<Tenant const>;

/// A search by slug, or by id if `slug` is empty.
struct Wanted {
    std::string slug;
    core::TenantId id{};
};

EnvironmentSettings read_environment(pg::RowReader& r)
{
    EnvironmentSettings settings;
    settings.document = read_object(r.view());
    settings.version = r.integer();
    if (auto const* value = settings.document.if_contains("allowedOrigins");
        value != nullptr && value->is_array())
        for (auto const& origin : value->get_array())
            if (origin.is_string()) settings.allowed_origins.emplace_back(origin.get_string());
    return settings;
}

using Tenants = std::map<core::TenantId, std::shared_ptr<Tenant>>;

asio::awaitable<Tenants> read_tenants(pg::BatchConnection& connection, std::span<Wanted const> wanted)
{
    std::vector<std::string> slugs;
    std::vector<core::TenantId> ids;
    for (Wanted const& one : wanted) {
        if (one.slug.empty())
            ids.push_back(one.id);
        else
            slugs.push_back(one.slug);
    }
    static constexpr auto sql = pg::sql<columns>(R"(
        SELECT {columns}
        FROM tenants
        WHERE slug = ANY ($1::text[]) OR tenant_id = ANY ($2::bigint[]))");
    auto const rows = co_await connection.run(pg::Scopes(), sql, {slugs, ids});
    Tenants tenants;
    for (auto const row : rows) {
        pg::RowReader r(row);
        auto tenant = std::make_shared<Tenant>();
        static_cast<TenantRecord&>(*tenant) = tenant_rows::read(r);
        tenants.emplace(tenant->id, std::move(tenant));
    }
    co_return tenants;
}

asio::awaitable<void> read_settings(pg::BatchConnection& connection, Tenants& tenants)
{
    std::vector<core::ScopeId> scopes;
    for (auto const& [id, tenant] : tenants)
        for (auto const environment : {core::Environment::production, core::Environment::sandbox})
            scopes.push_back(tenant->scope(environment).id);
    auto const rows = co_await connection.run(pg::Scopes(scopes),
        "SELECT scope_id, document, version FROM scope_settings WHERE scope_id = ANY ($1::bigint[])",
        {scopes});
    for (auto const row : rows) {
        pg::RowReader r(row);
        core::ScopeId const scope = r.scope_id();
        Tenant& tenant = *tenants.at(core::tenant_of(scope));
        tenant.environments[static_cast<std::size_t>(core::environment_of(scope))] = read_environment(r);
    }
}

void share_settings(Tenant& tenant)
{
    auto& [production, sandbox] = tenant.environments;
    sandbox = production;
}

pg::Batch<Found> look_up(
    pg::BatchConnection& connection, std::span<Wanted const> wanted, bool shared_settings)
{
    Tenants tenants = co_await read_tenants(connection, wanted);
    if (!tenants.empty()) co_await read_settings(connection, tenants);
    if (shared_settings)
        for (auto const& [id, tenant] : tenants)
            share_settings(*tenant);

    std::map<std::string_view, Found> by_slug;
    for (auto const& [id, tenant] : tenants)
        by_slug.emplace(tenant->slug, tenant);
    std::vector<Found> found;
    found.reserve(wanted.size());
    for (Wanted const& one : wanted) {
        if (one.slug.empty()) {
            auto const it = tenants.find(one.id);
            found.push_back(it == tenants.end() ? nullptr : Found(it->second));
        } else {
            auto const it = by_slug.find(one.slug);
            found.push_back(it == by_slug.end() ? nullptr : it->second);
        }
    }
    co_return found;
}

} // namespace

core::Error not_found()
{
    return {core::codes::tenant_not_found,
        "No tenant has this slug. Check the slug in the host name, in the path or in X-Tenant-Slug."};
}

struct Directory::Impl {
    Impl(pg::Database& database, std::function<bool()> is_live, DirectoryOptions const& options)
        : live(std::move(is_live)),
          look_ups(
              database, [shared = options.shared_settings](pg::BatchConnection& connection,
                            std::span<Wanted const> wanted) { return look_up(connection, wanted, shared); }),
          by_slug(options.capacity, options.ttl), slug_of(options.capacity, options.ttl),
          absent(options.absent_capacity, options.absent_ttl)
    {
    }

    struct Absent {};

    asio::awaitable<Found> fetch(Wanted wanted, bool trusted)
    {
        std::uint64_t const before = changes_seen();
        std::string const slug = wanted.slug;
        Found const tenant = co_await look_ups.run(std::move(wanted));
        if (trusted) remember(slug, tenant, before);
        co_return tenant;
    }

    std::uint64_t changes_seen()
    {
        std::lock_guard const lock(mutex);
        return changes;
    }

    /// Caches a result, unless a change was announced after the query began, because the result may then be
    /// outdated.
    void remember(std::string const& slug, Found const& tenant, std::uint64_t before)
    {
        std::lock_guard const lock(mutex);
        if (changes != before) return;
        if (tenant) {
            slug_of.put(tenant->id, std::make_shared<std::string const>(tenant->slug));
            by_slug.put(tenant->slug, tenant);
        } else if (!slug.empty()) {
            absent.put(slug, std::make_shared<Absent const>());
        }
    }

    std::function<bool()> live;
    pg::Batcher<Wanted, Found> look_ups;
    core::Cache<std::string, Tenant> by_slug;
    core::Cache<core::TenantId, std::string> slug_of;
    core::Cache<std::string, Absent> absent;

    std::mutex mutex; ///< serialises changes and `remember`
    std::uint64_t changes = 0;
};

Directory::Directory(pg::Database& database, std::function<bool()> live, DirectoryOptions options)
    : impl_(std::make_unique<Impl>(database, std::move(live), options))
{
}

Directory::~Directory() = default;

asio::awaitable<Found> Directory::find(std::string_view slug)
{
    if (!is_slug(slug)) co_return nullptr;
    std::string key(slug);
    bool const trusted = impl_->live();
    if (trusted) {
        if (auto tenant = impl_->by_slug.find(key)) co_return tenant;
        if (impl_->absent.find(key)) co_return nullptr;
    }
    co_return co_await impl_->fetch({std::move(key), core::no_tenant}, trusted);
}

asio::awaitable<Found> Directory::get(std::string_view slug)
{
    auto tenant = co_await find(slug);
    if (!tenant) throw not_found();
    co_return tenant;
}

Found Directory::cached(std::string_view slug) const
{
    return impl_->live() ? impl_->by_slug.find(std::string(slug)) : nullptr;
}

asio::awaitable<Found> Directory::find_by_id(core::TenantId tenant_id)
{
    bool const trusted = impl_->live();
    if (trusted) {
        if (auto const slug = impl_->slug_of.find(tenant_id))
            // The id is compared, because the slug may belong to another tenant now.
            if (auto tenant = impl_->by_slug.find(*slug); tenant && tenant->id == tenant_id) co_return tenant;
    }
    co_return co_await impl_->fetch({{}, tenant_id}, trusted);
}

void Directory::on_notify(std::string const& payload)
{
    std::lock_guard const lock(impl_->mutex);
    ++impl_->changes;
    impl_->by_slug.erase(payload);
    impl_->absent.erase(payload);
}

void Directory::on_gap()
{
    std::lock_guard const lock(impl_->mutex);
    ++impl_->changes;
    impl_->by_slug.clear();
    impl_->slug_of.clear();
    impl_->absent.clear();
}

} // namespace tenancy
