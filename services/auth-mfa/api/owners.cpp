#include "api/owners.hpp"

#include "api/credentials.hpp"
#include "audit/audit.hpp"
#include "crypto/password.hpp"
#include "domain/errors.hpp"
#include "domain/json.hpp"
#include "flows/account_events.hpp"
#include "idempotency/once.hpp"
#include "state/keyed_hash.hpp"
#include "storage/users.hpp"
#include "tenancy/directory.hpp"

namespace auth_mfa {

namespace {

struct NewOwner {
    Credentials credentials;
    core::Environment environment = core::Environment::production;

    static NewOwner parse(http::Request const& req)
    {
        core::Fields f(req.json());
        NewOwner owner{{read_new_email(f), read_new_password(f, "password")}};
        owner.environment =
            f.optional_one_of<core::Environment>("environment").value_or(core::Environment::production);
        f.check();
        return owner;
    }
};

/// A copy of the request with the new owner's scope, because the host of the request may name another scope.
/// A keyed hash replaces the body, because the idempotency record is derived from the body, which contains a
/// password.
http::Request within(core::Scope scope, http::Request const& req, KeyedHash const& hash)
{
    http::Request inner = req;
    inner.context.scope = std::move(scope);
    inner.body = hash({"new owner", req.body});
    return inner;
}

} // namespace

asio::awaitable<http::Response> create_owner(http::Request const& req, Deps& deps)
{
    auto const wanted = NewOwner::parse(req);
    auto const tenant = co_await deps.directory.get(req.param("slug"));
    if (tenant->suspended)
        throw core::Error(core::codes::tenant_suspended,
            "The tenant is suspended. Set the tenant's `status` to `active` before you add an owner.");
    http::Request const inner = within(tenant->scope(wanted.environment), req, deps.keyed_hash);
    auto const turn = co_await require_good_password(inner.scope().id, deps, deps.passwords.reserve(),
        {.password = wanted.credentials.password, .email = wanted.credentials.email});
    users::NewUser const row{.id = UserId(core::Uuid::v7()),
        .email = wanted.credentials.email,
        .password_hash = co_await deps.passwords.hash(turn, wanted.credentials.password),
        .role = Role::owner,
        .email_verified = true};
    co_return co_await idempotency::once(deps.db, inner, [&](pg::Tx& tx) {
        auto const owner = users::insert(tx, inner.scope(), row);
        if (!owner) throw email_taken();
        publish_user(tx, inner, "user.created", *owner);
        audit::record(tx, inner.context,
            audit::created(
                "member", owner->id.uuid(), boost::json::object{{"role", to_string(owner->role)}}));
        auto response = http::Response::created(to_json(*owner));
        response.about_user = owner->id.to_string();
        return response;
    });
}

} // namespace auth_mfa
