#include "api/owners.hpp"

#include "api/json.hpp"
#include "api/passwords.hpp"
#include "api/tenant.hpp"
#include "audit/audit.hpp"
#include "storage/users.hpp"

#include <array>

namespace auth_mfa {

namespace {

struct NewOwner {
    Credentials credentials;
    core::Environment environment = core::Environment::production;

    static NewOwner parse(http::Request const& req)
    {
        static constexpr std::array<std::string_view, 2> environments{"production", "sandbox"};
        core::Fields f(req.json());
        NewOwner owner{{read_email(f), read_new_password(f, "password")}};
        if (auto const index = f.optional_one_of("environment", environments))
            owner.environment = static_cast<core::Environment>(*index);
        f.check();
        return owner;
    }
};

/// The operator acts in a scope that the request's host need not name.
void record_created(pg::Tx& tx, http::Request const& req, core::Scope const& scope, User const& owner)
{
    audit::Actor const actor{req.caller().id, req.caller().role, req.context.request_id};
    audit::record(tx, scope, actor,
        {.action = "member.created",
            .subject_type = "member",
            .subject_id = owner.id.to_string(),
            .before = {},
            .after = boost::json::object{{"role", to_string(owner.role)}}});
}

} // namespace

asio::awaitable<http::Response> create_owner(http::Request const& req, Deps& deps)
{
    auto const wanted = NewOwner::parse(req);
    auto const tenant = co_await find_tenant(deps, req.param("slug"));
    if (tenant->suspended) throw core::Error(core::codes::tenant_suspended, "The tenant is suspended.");
    core::Scope const scope = tenant->scope(wanted.environment);
    users::NewUser const row{core::Uuid::v7(), wanted.credentials.email,
        co_await deps.passwords.hash(wanted.credentials.password), Role::owner};
    co_return co_await deps.db.transact(scope, [&](pg::Tx& tx) {
        auto const owner = users::insert(tx, scope, row);
        if (!owner) throw core::Error(core::codes::conflict, "There is an account with this email already.");
        record_created(tx, req, scope, *owner);
        return http::Response::created(to_json(*owner));
    });
}

} // namespace auth_mfa
