#include "core/caller.hpp"

#include "core/scope.hpp"

using core::Access;
using core::allows;
using core::Environment;
using core::Scope;

TEST_CASE("names of environments can be formatted and parsed")
{
    for (auto const env : {Environment::production, Environment::sandbox})
        CHECK(core::parse_enum<Environment>(core::to_string(env)) == env);
    CHECK(core::to_string(Environment::production) == "production");
    CHECK(core::to_string(Environment::sandbox) == "sandbox");
    auto const* text = GENERATE(as<char const*>(), "", "Production", "prod", "sandbox ", "test");
    CHECK_FALSE(core::parse_enum<Environment>(text));
}

TEST_CASE("the ids of a tenant's two scopes are computed from the id of the tenant")
{
    Scope const production = Scope::of(core::TenantId{21}, Environment::production, "acme");
    Scope const sandbox = Scope::of(core::TenantId{21}, Environment::sandbox, "acme");
    CHECK(production.id == core::ScopeId{42});
    CHECK(sandbox.id == core::ScopeId{43});
    CHECK(production.tenant_id() == core::TenantId{21});
    CHECK(sandbox.tenant_id() == core::TenantId{21});
    CHECK(production.environment() == Environment::production);
    CHECK(sandbox.environment() == Environment::sandbox);
    CHECK(sandbox.slug == "acme");
    for (auto const& scope : {production, sandbox}) {
        CHECK(scope.production().id == core::ScopeId{42});
        CHECK(scope.production().slug == "acme");
    }
}

TEST_CASE("a route allows the kinds of caller that it names")
{
    constexpr Access kinds[] = {Access::anonymous, Access::key, Access::publishable_key, Access::user,
        Access::admin, Access::owner, Access::master};

    struct Row {
        Access route;
        std::vector<Access> in;
    };

    auto const row = GENERATE(Row{Access::staff, {Access::key, Access::admin, Access::owner, Access::master}},
        Row{Access::key_or_user, {Access::key, Access::user, Access::admin, Access::owner, Access::master}},
        Row{Access::any_user, {Access::user, Access::admin, Access::owner}},
        Row{Access::managers, {Access::admin, Access::owner, Access::master}},
        Row{Access::master, {Access::master}},
        Row{Access::publishable_key | Access::key, {Access::publishable_key, Access::key}});
    for (Access const kind : kinds) {
        bool const expected = std::find(row.in.begin(), row.in.end(), kind) != row.in.end();
        CHECK(allows(row.route, kind) == expected);
    }
}

TEST_CASE("whether a caller is staff or has a token depends on its kind")
{
    CHECK(core::Caller{.kind = Access::key}.is_staff());
    CHECK_FALSE(core::Caller{.kind = Access::key}.is_jwt());
    CHECK(core::Caller{.kind = Access::admin}.is_staff());
    CHECK(core::Caller{.kind = Access::admin}.is_jwt());
    CHECK_FALSE(core::Caller{.kind = Access::user}.is_staff());
    CHECK(core::Caller{.kind = Access::user}.is_jwt());
    CHECK_FALSE(core::Caller{.kind = Access::publishable_key}.is_staff());
    CHECK_FALSE(core::Caller{}.is_staff());
}
