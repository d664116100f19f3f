#pragma once

#include "core/enum_names.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace core {

enum class Environment : std::uint8_t { production = 0, sandbox = 1 };

constexpr auto enum_names(Environment)
{
    return std::to_array<std::string_view>({"production", "sandbox"});
}

/// One tenant in one environment. A tenant's rows, API keys and cache entries belong to one of its scopes.
/// The ids of a tenant's two scopes are computed from the tenant's id, without a query.
struct Scope {
    std::int64_t id = 0; ///< tenant_id * 2 + environment; 0 is no scope (tenant ids start at 1)
    std::string slug;

    static Scope of(std::int64_t tenant_id, Environment env, std::string slug)
    {
        return {tenant_id * 2 + static_cast<std::int64_t>(env), std::move(slug)};
    }

    std::int64_t tenant_id() const noexcept { return id / 2; }

    /// The tenant's production scope. It holds the locks and data that both environments share.
    Scope production() const { return of(tenant_id(), Environment::production, slug); }

    Environment environment() const noexcept { return static_cast<Environment>(id & 1); }
};

/// A set of kinds of caller: the kinds that a route allows, or the one kind of a caller.
enum class Access : std::uint8_t {
    anonymous = 1, ///< credentials are ignored
    key = 2,       ///< secret API key of the scope
    publishable_key = 4,
    user = 8,    ///< JWT, role user
    admin = 16,  ///< JWT, role admin
    owner = 32,  ///< JWT, role owner
    master = 64, ///< the operator's master key
    staff = key | admin | owner | master,
    key_or_user = staff | user,
    any_user = user | admin | owner,
    managers = admin | owner | master,
};

constexpr Access operator|(Access a, Access b) noexcept
{
    return static_cast<Access>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}

constexpr bool allows(Access route, Access caller) noexcept
{
    return (static_cast<unsigned>(route) & static_cast<unsigned>(caller)) != 0;
}

/// The authenticated caller. `kind` has exactly one bit of Access set.
struct Caller {
    Access kind = Access::anonymous;
    std::string id;         ///< JWT: `sub`; API key: `key:<prefix>`; master: `master`
    std::string email;      ///< JWT only
    std::string session_id; ///< JWT only: `sid`
    std::string role;       ///< JWT: its role; API key: `admin`; master: `owner`

    bool is_staff() const noexcept { return allows(Access::staff, kind); }

    bool is_jwt() const noexcept { return allows(Access::any_user, kind); }
};

} // namespace core
