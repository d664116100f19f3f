#pragma once

#include "core/clock.hpp"
#include "core/identity.hpp"
#include "pg/migrate.hpp"

#include <boost/json/object.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tenancy {

/// Tables `tenants` and `tenant_erasures` (registry, without row-level security) and `scope_settings`.
pg::Component const& migrations();

/// The channel on which every change of a tenant or its settings is announced at commit; the payload is the
/// slug.
inline constexpr char const* channel = "tenants";

/// Named numbers the operator sets for a tenant. Names are open: each service reads those it knows.
class Limits {
public:
    using Values = std::map<std::string, std::int64_t, std::less<>>;

    Limits() = default;

    explicit Limits(Values values) : values_(std::move(values)) {}

    /// Reads a JSON object of integers; members of another type are left out.
    static Limits from_json(boost::json::object const& object);

    std::optional<std::int64_t> find(std::string_view name) const;

    /// Requests a minute for each caller. 0 allows none; nullopt: the service's own rule.
    std::optional<std::int64_t> requests_per_minute() const { return find("requestsPerMinute"); }

    Values const& values() const noexcept { return values_; }

private:
    Values values_;
};

/// A row of the registry.
struct TenantRecord {
    std::int64_t id = 0; ///< from 1; never used again
    std::string slug;
    std::string display_name;
    bool suspended = false;
    Limits limits;
    core::Time created_at;
    core::Time updated_at;
    std::optional<core::Time> erase_after; ///< set: awaits erasure, and is suspended

    core::Scope scope(core::Environment environment) const { return core::Scope::of(id, environment, slug); }
};

/// What a tenant set for one environment, as the request pipeline uses it.
struct EnvironmentSettings {
    boost::json::object document;
    std::vector<std::string>
        allowed_origins;      ///< `allowedOrigins` of the document: normalised, see origins.hpp
    std::int64_t version = 0; ///< 0: never written
};

/// A tenant with the settings of both environments: what the Directory remembers. Immutable.
struct Tenant : TenantRecord {
    std::array<EnvironmentSettings, 2> environments;

    EnvironmentSettings const& settings(core::Environment environment) const noexcept
    {
        return environments[static_cast<std::size_t>(environment)];
    }
};

} // namespace tenancy
