#pragma once

#include "core/enum_names.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace core {

enum class Environment : std::uint8_t { production = 0, sandbox = 1 };

constexpr auto enum_names(Environment)
{
    return std::to_array<std::string_view>({"production", "sandbox"});
}

/// The number of a tenant: at least 1, never reused. 0 is no tenant.
enum class TenantId : std::int64_t {};

/// The number of a scope, which is one tenant in one environment. 0 is no scope. The ids of a tenant's two
/// scopes are computed from the tenant's id, without a query.
enum class ScopeId : std::int64_t {};

inline constexpr TenantId no_tenant{};
inline constexpr ScopeId no_scope{};

constexpr std::int64_t number(TenantId id) noexcept
{
    return static_cast<std::int64_t>(id);
}

constexpr std::int64_t number(ScopeId id) noexcept
{
    return static_cast<std::int64_t>(id);
}

constexpr ScopeId scope_of(TenantId tenant, Environment env) noexcept
{
    return ScopeId{number(tenant) * 2 + static_cast<std::int64_t>(env)};
}

/// The tenant's production scope and its sandbox scope.
constexpr std::array<ScopeId, 2> scopes_of(TenantId tenant) noexcept
{
    return {scope_of(tenant, Environment::production), scope_of(tenant, Environment::sandbox)};
}

constexpr TenantId tenant_of(ScopeId scope) noexcept
{
    return TenantId{number(scope) / 2};
}

constexpr Environment environment_of(ScopeId scope) noexcept
{
    return static_cast<Environment>(number(scope) & 1);
}

/// The number in decimal digits.
inline std::string to_string(TenantId id)
{
    return std::to_string(number(id));
}

inline std::string to_string(ScopeId id)
{
    return std::to_string(number(id));
}

/// One tenant in one environment. A tenant's rows, API keys and cache entries belong to one of its scopes.
struct Scope {
    ScopeId id{};
    std::string slug; ///< the tenant's

    static Scope of(TenantId tenant, Environment env, std::string slug)
    {
        return {scope_of(tenant, env), std::move(slug)};
    }

    TenantId tenant_id() const noexcept { return tenant_of(id); }

    /// The tenant's production scope. It holds the locks and data that both environments share.
    Scope production() const { return of(tenant_id(), Environment::production, slug); }

    Environment environment() const noexcept { return environment_of(id); }
};

} // namespace core
