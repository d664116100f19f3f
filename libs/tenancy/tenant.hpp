#pragma once

#include "core/caller.hpp"
#include "core/clock.hpp"
#include "core/scope.hpp"
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
#include <utility>
#include <variant>
#include <vector>

namespace tenancy {

/// Tables `tenants` and `tenant_erasures` (without row-level security) and `scope_settings`.
pg::Component const& migrations();

/// The channel that announces every change of a tenant or its settings at commit. The payload is the slug.
inline constexpr char const* channel = "tenants";

/// Named numbers and switches that the operator sets for a tenant. Any name is allowed. Each service reads
/// the names that it defines.
class Limits {
public:
    using Value = std::variant<std::int64_t, bool>;
    using Values = std::map<std::string, Value, std::less<>>;

    Limits() = default;

    explicit Limits(Values values) : values_(std::move(values)) {}

    /// Whether the values of the limit `name` are `true` and `false`. All other limits are numbers.
    static bool is_switch(std::string_view name) noexcept { return name == "sandboxSms"; }

    /// Reads a JSON object of integers and booleans. Members of other types are skipped.
    static Limits from_json(boost::json::object const& object);

    /// The number `name`. Returns nullopt if it is not set.
    std::optional<std::int64_t> find(std::string_view name) const;

    /// Requests per minute for each caller. 0 allows no request. If nullopt, the service's default applies.
    std::optional<std::int64_t> requests_per_minute() const { return find("requestsPerMinute"); }

    /// Text messages in a calendar day (UTC), of all services together.
    std::int64_t sms_per_day() const { return find("smsPerDay").value_or(1'000); }

    /// Whether text messages of the sandbox are sent to phones, as in production.
    bool sandbox_sms() const;

    Values const& values() const noexcept { return values_; }

private:
    Values values_;
};

/// A row of the table `tenants`.
struct TenantRecord {
    core::TenantId id{}; ///< at least 1; never reused
    std::string slug;
    std::string display_name;
    bool suspended = false;
    Limits limits;
    core::Time created_at;
    core::Time updated_at;
    std::optional<core::Time> erase_after; ///< if set: the tenant is suspended and is erased after this time

    core::Scope scope(core::Environment environment) const { return core::Scope::of(id, environment, slug); }
};

/// A tenant's settings for one environment, as the gateway uses them.
struct EnvironmentSettings {
    boost::json::object document;
    /// `allowedOrigins` of the document: normalised, see origins.hpp.
    std::vector<std::string> allowed_origins;
    std::int64_t version = 0; ///< 0 before the first write
};

/// A tenant with the settings of both environments, as the Directory caches it. Immutable.
struct Tenant : TenantRecord {
    std::array<EnvironmentSettings, 2> environments;

    EnvironmentSettings const& settings(core::Environment environment) const noexcept
    {
        return environments[static_cast<std::size_t>(environment)];
    }
};

} // namespace tenancy
